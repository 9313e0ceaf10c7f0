import { config } from '@grafana/runtime';
import { ToolbarButton } from '@grafana/ui';
import React from 'react';

import { reloadWith, theme } from './choice';
import * as texts from './texts';

const SUN =
  'M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10Zm-1-5h2v3h-2zm0 17h2v3h-2zM2 11h3v2H2zm17 0h3v2h-3zM4.2 5.6l1.4-1.4 2.1 2.1-1.4 1.4zm12.1 12.1 1.4-1.4 2.1 2.1-1.4 1.4zM4.2 18.4l2.1-2.1 1.4 1.4-2.1 2.1zM16.3 6.3l2.1-2.1 1.4 1.4-2.1 2.1z';
const MOON = 'M20.7 14.6A9 9 0 0 1 9.4 3.3a1 1 0 0 0-1.3-1.2 10 10 0 1 0 13.8 13.8 1 1 0 0 0-1.2-1.3Z';

export function ThemeButton() {
  const { isDark } = config.theme2;
  const label = isDark ? texts.app.toLight : texts.app.toDark;
  return (
    <ToolbarButton aria-label={label} tooltip={label} onClick={() => reloadWith(theme, isDark ? 'light' : 'dark')}>
      <svg width={16} height={16} viewBox="0 0 24 24" fill="currentColor" aria-hidden>
        <path d={isDark ? SUN : MOON} />
      </svg>
    </ToolbarButton>
  );
}
