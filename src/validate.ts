import * as texts from './texts';

/** Checks of user input. Each returns what is wrong and how to put it right, or undefined. */

/** As Prometheus reads it: whole numbers, the longest unit first. */
const DURATION = /^(?:\d+y)?(?:\d+w)?(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+s)?(?:\d+ms)?$/;

export function isDuration(value: string): boolean {
  return DURATION.test(value) && /[1-9]/.test(value);
}

export function checkDuration(value: string): string | undefined {
  const trimmed = value.trim();
  return trimmed === '' || trimmed.includes('$') || isDuration(trimmed) ? undefined : texts.config.durationInvalid;
}

/** Counts of bytes travel as JSON numbers, which are exact up to 2^53 − 1 in every reader. */
export function checkCount(value: string): string | undefined {
  const trimmed = value.trim();
  if (trimmed === '') {
    return texts.config.numberMissing;
  }
  if (!/^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(trimmed)) {
    return texts.config.numberNotANumber;
  }
  const parsed = Number(trimmed);
  if (parsed <= 0) {
    return texts.config.numberNotPositive;
  }
  if (parsed > Number.MAX_SAFE_INTEGER) {
    return texts.config.numberTooLarge;
  }
  return Number.isInteger(parsed) ? undefined : texts.config.numberNotWhole;
}

export function checkLimit(value: string): string | undefined {
  const trimmed = value.trim();
  return trimmed === '' || (/^\d+$/.test(trimmed) && Number.isSafeInteger(Number(trimmed)))
    ? undefined
    : texts.config.seriesLimitInvalid;
}

const MATCHER = /^\s*[A-Za-z_][A-Za-z0-9_.]*\s*(=~|!~|!=|=)\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)\s*/;

/** `label op "value"`, joined by commas, with or without braces. The server parses it again in full. */
export function checkMatchers(value: string): string | undefined {
  let rest = value.trim();
  if (rest.startsWith('{') && rest.endsWith('}')) {
    rest = rest.slice(1, -1).trim();
  }
  if (rest === '') {
    return value.trim() === '' ? undefined : texts.config.matcherInvalid;
  }
  for (;;) {
    const match = MATCHER.exec(rest);
    if (!match || (match[1].endsWith('~') && !compiles(match[2].slice(1, -1).replace(/\\\\/g, '\\')))) {
      return texts.config.matcherInvalid;
    }
    rest = rest.slice(match[0].length);
    if (rest === '' || rest === ',') {
      return undefined;
    }
    if (!rest.startsWith(',')) {
      return texts.config.matcherInvalid;
    }
    rest = rest.slice(1);
  }
}

function compiles(pattern: string): boolean {
  try {
    // Inline flags such as (?i) are RE2 only; what follows them is checked.
    new RegExp(pattern.replace(/^\(\?[imsU]+\)/, ''));
    return true;
  } catch {
    return false;
  }
}

/** An exact name, or a pattern between slashes. A path such as /models/llama is an exact name. */
export function checkModel(value: string): string | undefined {
  const model = value.trim();
  if (model === '') {
    return texts.sizes.modelMissing;
  }
  const isPattern = model.length > 1 && model.startsWith('/') && model.endsWith('/');
  return !isPattern || (model !== '//' && compiles(model.slice(1, -1))) ? undefined : texts.sizes.modelInvalid;
}

export function checkPrefixes(value: string): string | undefined {
  const prefixes = value.split(',').map((prefix) => prefix.trim());
  return value.trim() === '' || prefixes.every((prefix) => /^[A-Za-z_:][A-Za-z0-9_:]*$/.test(prefix))
    ? undefined
    : texts.config.prefixesInvalid;
}

export function checkQueryParameters(value: string): string | undefined {
  const trimmed = value.trim();
  return trimmed === '' || trimmed.split('&').every((pair) => /^[^=?&\s]+=[^&\s]*$/.test(pair))
    ? undefined
    : texts.config.customQueryParametersInvalid;
}

/** "0.99", "99", "P99", "99.9%" → 0.99 …; undefined where it is none. */
export function parseQuantile(value: string): number | undefined {
  const match = /^\s*(p?)(\d+(?:\.\d+)?)\s*(%?)\s*$/i.exec(value);
  if (!match) {
    return undefined;
  }
  const [, letter, digits, percent] = match;
  const parsed = Number(digits);
  const isPercentage = letter !== '' || percent !== '' || parsed >= 1;
  const quantile = isPercentage ? Number((parsed / 100).toPrecision(12)) : parsed;
  return quantile > 0 && quantile < 1 ? quantile : undefined;
}
