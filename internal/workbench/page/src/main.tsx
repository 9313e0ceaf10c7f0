import { injectGlobal } from '@emotion/css';
import { config } from '@grafana/runtime';
import { createRoot } from 'react-dom/client';
import React from 'react';

import { App } from './App';
import { provideServices } from './runtime/start';

provideServices();
injectGlobal({ body: { margin: 0 } });
const root = document.getElementById('reactRoot');
if (root) {
  document.documentElement.lang = config.bootData.user.language;
  document.body.classList.add(config.theme2.isDark ? 'theme-dark' : 'theme-light');
  createRoot(root).render(<App />);
}
