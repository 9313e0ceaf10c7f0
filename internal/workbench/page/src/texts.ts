import { inLanguage } from 'plugin/texts/language';

import * as chinese from './texts/chinese';
import * as english from './texts/english';

/** Every text of the workbench that is not one of the plugin's own, in the language that was chosen. */
export const { app, time, dashboard, panel, query, settings, severities } = inLanguage(english, chinese);
