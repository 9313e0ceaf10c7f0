import { tokensOf } from './highlight';

const shown = (promql: string) =>
  tokensOf(promql)
    .filter(({ kind }) => kind !== 'text')
    .map(({ kind, text }) => `${kind} ${text}`);

it('tells metrics, labels, functions and the rest apart', () => {
  expect(
    shown(
      'histogram_quantile(0.99, sum by (le, model_name) (rate(vllm:time_to_first_token_seconds_bucket{instance=~"decode.*"}[4s]))) >= 0'
    )
  ).toEqual([
    'function histogram_quantile',
    'number 0.99',
    'function sum',
    'keyword by',
    'label le',
    'label model_name',
    'function rate',
    'metric vllm:time_to_first_token_seconds_bucket',
    'label instance',
    'string "decode.*"',
    'range [4s]',
    'number 0',
  ]);
});

it('reads set operators, macros, comments and quotes in quotes', () => {
  expect(shown('up{a="b\\"} c"} or on (job) rate(x[$__rate_interval]) # by (z)')).toEqual([
    'metric up',
    'label a',
    'string "b\\"} c"',
    'keyword or',
    'keyword on',
    'label job',
    'function rate',
    'metric x',
    'range [$__rate_interval]',
    'comment # by (z)',
  ]);
});

it.each(['', 'sum(', '"open', '{', '1e9 + 模型{a="é"}', 'a[5m', "x{y!='", '\n\n#'])(
  'keeps every character of %j',
  (promql) => {
    expect(
      tokensOf(promql)
        .map(({ text }) => text)
        .join('')
    ).toBe(promql);
  }
);
