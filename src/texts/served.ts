/** Texts of the models that were found on the server, beside their configured sizes. */

export const title = 'Models found on this server';
export const help = 'With the sizes as they were last saved, and what the engines really move.';
export const noURL = 'Once a URL is saved, the models of that server are listed here.';
export const refresh = 'Refresh';
export const loading = 'Looking at the server…';
export const empty =
  'No model was found. Engines name theirs once they run: check with “Save & test” that the server scrapes them.';
export const unreachable = (reason: string) =>
  `The models are found by the plugin’s back end, which does not answer (${reason}). Where this data source is new, save it first.`;
export const failed = 'The models cannot be looked up';

export const model = 'Model';
export const configured = 'Configured';
export const measured = 'Measured';
export const ratio = 'Measured ÷ configured';
export const actions = 'Actions';

export const noSize = 'No entry yet';
export const nothingMeasured = 'Nothing measured';
export const basis = (requests: string, window: string, system: string) =>
  `${requests} requests in ${window}, ${system}`;
export const inputTokens = (tokens: string) => `prompt of ${tokens} tokens`;
export const add = 'Add';
export const addLabel = (model: string) => `Add ${model}`;
export const addPreset = (preset: string) => `Add with preset ${preset}`;
export const addPresetLabel = (model: string, preset: string) => `Add with preset ${preset}: ${model}`;
export const presetHelp = 'The name suggests it. Check that it is this model.';
export const useMeasured = 'Use measured';
export const useMeasuredLabel = (model: string) => `Use measured: ${model}`;
export const freezing =
  '“Use measured” makes today’s value a constant. Check it again when model, prompt length, KV data type, TP or engine version change.';
