import { config } from '@grafana/runtime';

/** The same texts in another language: the same names, other words. */
export type Texts<T> = T extends string
  ? string
  : T extends (...args: infer A) => infer R
    ? (...args: A) => Texts<R>
    : { [K in keyof T]: Texts<T[K]> };

/** Grafana's language is fixed until the page is loaded anew, so that a text can be a constant. */
export const isChinese = (config.bootData?.user?.language ?? '').toLowerCase().startsWith('zh');

/** What the back end is told of who reads the notices, which it writes in English unless it is told otherwise. */
export const readersLanguage = isChinese ? { language: 'zh-Hans' } : {};

/** The compiler refuses a language that lacks a text or has one too many arguments. */
export function inLanguage<T>(english: T, chinese: NoInfer<Texts<T>>): Texts<T> {
  // The first is the second with narrower types, which the compiler cannot see through the condition above.
  return isChinese ? chinese : (english as Texts<T>);
}
