export type ThemeName = 'light' | 'dark';

const KEY = 'pdmonitor.theme';

function isTheme(name: string | null): name is ThemeName {
  return name === 'light' || name === 'dark';
}

/** What the address asks for, else what was chosen last, else what the system prefers. */
export function chosenTheme(): ThemeName {
  const asked = new URLSearchParams(window.location.search).get('theme');
  if (isTheme(asked)) {
    localStorage.setItem(KEY, asked);
    return asked;
  }
  const stored = localStorage.getItem(KEY);
  if (isTheme(stored)) {
    return stored;
  }
  return window.matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark';
}

/** Grafana's theme is fixed when the page boots, so a change loads the page again where it is. */
export function reloadWith(theme: ThemeName) {
  const address = new URL(window.location.href);
  address.searchParams.set('theme', theme);
  window.location.assign(address);
}
