import * as annotationEnglish from './texts/annotation';
import * as compiledEnglish from './texts/compiled';
import * as configEnglish from './texts/config';
import * as foundEnglish from './texts/found';
import * as helpEnglish from './texts/help';
import { inLanguage } from './texts/language';
import * as queryEnglish from './texts/query';
import * as servedEnglish from './texts/served';
import * as sizesEnglish from './texts/sizes';
import * as termsEnglish from './texts/terms';
import * as variableEnglish from './texts/variable';
import * as annotationChinese from './texts/zh/annotation';
import * as compiledChinese from './texts/zh/compiled';
import * as configChinese from './texts/zh/config';
import * as foundChinese from './texts/zh/found';
import * as helpChinese from './texts/zh/help';
import * as queryChinese from './texts/zh/query';
import * as servedChinese from './texts/zh/served';
import * as sizesChinese from './texts/zh/sizes';
import * as termsChinese from './texts/zh/terms';
import * as variableChinese from './texts/zh/variable';

/** Every text that a user reads, by part, in the language of Grafana. */

export const annotation = inLanguage(annotationEnglish, annotationChinese);
export const compiled = inLanguage(compiledEnglish, compiledChinese);
export const config = inLanguage(configEnglish, configChinese);
export const found = inLanguage(foundEnglish, foundChinese);
export const help = inLanguage(helpEnglish, helpChinese);
export const query = inLanguage(queryEnglish, queryChinese);
export const served = inLanguage(servedEnglish, servedChinese);
export const sizes = inLanguage(sizesEnglish, sizesChinese);
export const variable = inLanguage(variableEnglish, variableChinese);
const terms = inLanguage(termsEnglish, termsChinese);
export const { filterOps, formats, groups, kinds, levels, roles, stats, systems, units } = terms;
export const { kvSources, rankStrategies, rateModes } = terms;
