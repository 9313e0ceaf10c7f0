/** One of a few values that a user chooses for the whole page. */
interface Choice<T extends string> {
  /** Its name in the address and, with a prefix, in the browser's storage. */
  name: string;
  values: readonly T[];
  /** What the browser prefers. */
  preferred: () => T;
}

/** What the address asks for, else what was chosen last, else what the browser prefers. */
export function chosen<T extends string>({ name, values, preferred }: Choice<T>): T {
  const key = `pdmonitor.${name}`;
  const oneOf = (text: string | null) => values.find((value) => value === text);
  const asked = oneOf(new URLSearchParams(window.location.search).get(name));
  if (asked !== undefined) {
    localStorage.setItem(key, asked);
  }
  return asked ?? oneOf(localStorage.getItem(key)) ?? preferred();
}

/** Grafana's theme and language are fixed when the page boots, so a change loads the page again where it is. */
export function reloadWith<T extends string>({ name }: Choice<T>, value: T) {
  const address = new URL(window.location.href);
  address.searchParams.set(name, value);
  window.location.assign(address);
}

export const theme: Choice<'light' | 'dark'> = {
  name: 'theme',
  values: ['light', 'dark'],
  preferred: () => (window.matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark'),
};

/** By Grafana's names for them. */
export const language: Choice<'en-US' | 'zh-Hans'> = {
  name: 'language',
  values: ['en-US', 'zh-Hans'],
  preferred: () => (navigator.language.toLowerCase().startsWith('zh') ? 'zh-Hans' : 'en-US'),
};
