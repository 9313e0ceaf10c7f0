import type { SizeKind } from '../requestSize';
import type { KVGroup, ServingField } from '../types';

/** Texts of the KV bytes per request in the settings. */

export const title = 'KV bytes per request';
export const help =
  'Turns KV bytes/s into KV requests/s. Name a model exactly as the engine serves it, or give a pattern between slashes, such as /llama-3.*70b/; the first entry that matches counts. A model without an entry gets no number, only a notice: nothing is guessed. Everything else works without any entry.';
export const add = 'Add model';
export const entry = (position: number, model: string) => `Model ${position}${model && `: ${model}`}`;
export const remove = (position: number) => `Remove model ${position}`;

export const model = 'Model';
export const modelPlaceholder = 'meta-llama/Llama-3.1-70B-Instruct';
export const modelCustom = 'Use this name or /pattern/';
export const modelNone = 'No model was found on the server. Type the name.';
export const modelMissing = 'Name the model, or give a pattern between slashes.';
export const modelDuplicate = 'This model has an entry already. Remove one of the two.';
export const modelInvalid = 'This pattern does not compile. Check brackets and slashes.';

export const kind = 'Size from';
export const kinds: Record<SizeKind, { label: string; description: string }> = {
  preset: { label: 'Known model', description: 'A model whose config.json is known here' },
  config: { label: 'config.json', description: 'The file of your own model, pasted or loaded' },
  geometry: { label: 'Geometry', description: 'Layers, heads and dimension of plain grouped-query attention' },
  bytes: { label: 'Bytes', description: 'A known or measured number' },
};

export const preset = 'Known model';
export const presetPlaceholder = 'Search: DeepSeek, Qwen3…';
export const presetRead = (source: string, date: string) => `Fields from ${source}, read in ${date}.`;
export const presetsFailed = 'The list of known models could not be loaded; a name can be typed.';

export const config = 'config.json';
export const configHelp = 'As on Hugging Face. It is stored with the settings; only its sizes are read.';
export const configPlaceholder = '{\n  "model_type": "llama",\n  "num_hidden_layers": 80,\n  …\n}';
export const configLoad = 'Load a file';
export const configNotJSON = (reason: string) =>
  `This is not JSON yet: ${reason}. Paste the whole file, braces included.`;
export const configNotObject = 'This is JSON but no object. Paste the whole config.json, from { to }.';
export const configTooLong = 'This is longer than 1 MiB, which no config.json is. Choose the config.json of the model.';
export const configUnreadable = (reason: string) => `The file cannot be read: ${reason}.`;

export const geometryHelp =
  'Names are those of config.json; without head_dim take hidden_size ÷ num_attention_heads. Do not count tokens that decode already holds in its cache. Right where every layer keeps keys and values of every token: for MLA, sliding-window and hybrid models take the config.json or the known model.';

export const serving = 'How it is served';
export const servingSet = (fields: ServingField[], values: unknown[]) =>
  fields.map((field, at) => `${fieldTexts[field].label}: ${valueText(values[at])}`).join(', ');
export const byDefault = 'Default';
export const switches = { default: 'Default', on: 'Yes', off: 'No' };
function valueText(value: unknown): string {
  return typeof value === 'boolean' ? (value ? switches.on : switches.off) : String(value);
}

export const fieldTexts: Record<ServingField, { label: string; help?: string; placeholder?: string }> = {
  bytesPerRequest: { label: 'Bytes per request', placeholder: '2684354560' },
  layers: { label: 'Layers', help: 'num_hidden_layers', placeholder: '80' },
  kvHeads: { label: 'KV heads', help: 'num_key_value_heads', placeholder: '8' },
  headDim: { label: 'Head dimension', help: 'head_dim', placeholder: '128' },
  inputTokens: { label: 'Input tokens', help: 'Typical prompt length', placeholder: '8192' },
  kvDtype: { label: 'KV data type', help: '--kv-cache-dtype', placeholder: 'auto' },
  engine: { label: 'Engine', help: 'Its blocks and windows', placeholder: 'plain formula' },
  connector: { label: 'Connector', help: 'What carries the cache', placeholder: 'by engine' },
  prefillTP: { label: 'TP of prefill', help: 'Tensor-parallel size', placeholder: '1' },
  decodeTP: { label: 'TP of decode', help: 'Tensor-parallel size', placeholder: '1' },
  tp: { label: 'TP of both sides', help: 'Instead of one for each', placeholder: '1' },
  copies: { label: 'Copies', help: 'On the wire, instead of those by TP', placeholder: 'by TP' },
  prefixHitTokens: { label: 'Prefix hit', help: 'Tokens that decode holds already', placeholder: '0' },
  blockSize: { label: 'Block size', help: 'Tokens of a block or page', placeholder: 'by engine' },
  attentionBlockSize: {
    label: 'Attention block size',
    help: 'Of hybrid models, from vLLM’s log',
    placeholder: 'computed',
  },
  prefillDP: { label: 'DP attention of prefill', help: 'SGLang: divides TP', placeholder: '1' },
  decodeDP: { label: 'DP attention of decode', help: 'SGLang: divides TP', placeholder: '1' },
  pp: { label: 'Pipeline stages', help: 'Change nothing in the sum', placeholder: '1' },
  allTokens: { label: 'Windowed layers send every token', help: 'vLLM: hybrid allocator off' },
  draft: { label: 'Prefill runs the draft layers', help: 'MTP or EAGLE of the checkpoint' },
  stateDtype: { label: 'State data type', help: 'Of linear layers', placeholder: 'by family' },
  indexDtype: { label: 'Index key data type', help: 'Of sparse attention', placeholder: 'by family' },
};

export const result = 'KV bytes of one request';
export const resultMissing = (fields: string[]) => `Fill in to see the bytes: ${fields.join(', ')}.`;
export const resultInvalid = 'Correct the marked fields to see the bytes.';
export const resultLoading = 'Computing…';
export const resultRefused = 'No bytes can be given';
export const resultUnreachable = (reason: string) =>
  `The bytes are computed by the plugin’s back end, which does not answer (${reason}). Where this data source is new, save it first.`;
export const perToken = (bytes: string) => `${bytes} for each token`;
export const ofState = (bytes: string) => `${bytes} of state`;
export const tokens = (count: string) => `${count} tokens`;
export const copies = (count: number) => (count === 1 ? '1 copy' : `${count} copies`);
export const notices = 'What was assumed';

export const table = {
  caption: 'How the bytes come about',
  layers: 'Layers',
  kvHeads: 'KV heads',
  dims: 'Key + value',
  window: 'Window',
  each: 'Bytes of one layer',
  perToken: '/token',
  tokens: 'Tokens',
  copies: 'Copies',
  bytes: 'Bytes',
  sum: 'Sum',
};
export const layerKinds: Record<KVGroup['kind'], string> = {
  full: 'full attention',
  sliding: 'sliding window',
  chunked: 'chunked',
  mla: 'MLA latent',
  indexer: 'index key',
  linear: 'linear, constant state',
  none: 'no cache of its own',
};
export const draftLayers = 'draft';
