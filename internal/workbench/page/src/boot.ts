// @grafana/runtime reads these globals while it is being imported, so they are set before anything else is loaded.
import { chosen, language, theme } from './choice';

Object.assign(window, {
  // zod, which Grafana's packages bring, would try out eval, which the page's policy reports as an error.
  __zod_globalConfig: { jitless: true },
  __grafana_public_path__: '/public/',
  grafanaBootData: {
    settings: {
      featureToggles: {},
      appSubUrl: '',
      namespace: 'default',
      buildInfo: { version: '13.2.3', env: 'production' },
    },
    user: {
      theme: chosen(theme),
      language: chosen(language),
      locale: navigator.language,
      orgId: 1,
      id: 1,
      uid: 'workbench',
      isSignedIn: false,
    },
    navTree: [],
  },
});

void import('./main');
