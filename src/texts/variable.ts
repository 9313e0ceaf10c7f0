/** Texts of the variable editor. */

export const label = 'Values of';
export const labelHelp = 'Models, instances, engines, roles, systems, devices, or any other label that you type.';
export const labels: Record<string, string> = {
  model: 'Models',
  instance: 'Instances',
  engine: 'Engines',
  role: 'Roles',
  system: 'Systems',
  device: 'Devices',
  gpu: 'GPUs',
};
export const labelCustom = 'Values of this label';
export const signal = 'Signal';
export const signalHelp = 'Only values that this signal has. Empty: any.';
export const role = 'Role';
export const system = 'System';
export const any = 'Any';
export const preview = 'Values now';
export const previewNone = 'No values. Loosen the filters, or check that the engines are scraped.';
export const previewFailed = 'The values could not be loaded';
export const previewLoading = 'Loading the values…';
export const previewMore = (count: number) => `and ${count} more`;
