import * as texts from './texts';
import {
  checkCount,
  checkDuration,
  checkLimit,
  checkMatchers,
  checkModel,
  checkPrefixes,
  checkQueryParameters,
  parseQuantile,
} from './validate';

describe('checkCount', () => {
  it.each([
    ['0', texts.config.numberNotPositive],
    ['-5', texts.config.numberNotPositive],
    ['1.5', texts.config.numberNotWhole],
    ['8k', texts.config.numberNotANumber],
    ['', texts.config.numberMissing],
    ['9007199254740992', texts.config.numberTooLarge],
  ])('refuses %p with a remedy', (text, remedy) => {
    expect(checkCount(text)).toBe(remedy);
  });

  it.each(['1', '8192', '9007199254740991', ' 2684354560 '])('takes %p', (text) => {
    expect(checkCount(text)).toBeUndefined();
  });
});

describe('checkDuration', () => {
  it.each(['', '1s', '500ms', '1m30s', '2h', '$__interval'])('takes %p', (text) => {
    expect(checkDuration(text)).toBeUndefined();
  });
  it.each(['1', '1.5s', '0s', '30s1m', 'abc', '-1s'])('refuses %p', (text) => {
    expect(checkDuration(text)).toBeDefined();
  });
});

describe('checkMatchers', () => {
  it.each([
    '',
    'instance=~"prefill.*"',
    'job="llm",pod=~"prefill-[0-9]+"',
    '{role="decode"}',
    'job="a", pod!="b",',
    'pod=~"a\\\\.b"',
  ])('takes %p', (text) => {
    expect(checkMatchers(text)).toBeUndefined();
  });
  it.each(['prefill.*', 'instance=~prefill', 'instance=~"("', 'a="b" c="d"', 'instance=="a"', '{}'])(
    'refuses %p',
    (text) => {
      expect(checkMatchers(text)).toBeDefined();
    }
  );
});

describe('checkModel', () => {
  it.each(['meta-llama/Llama-3.1-70B', '/llama-3.*70b/', '/models/llama', '/.*/'])('takes %p', (text) => {
    expect(checkModel(text)).toBeUndefined();
  });
  it.each(['', ' ', '//', '/(/'])('refuses %p', (text) => {
    expect(checkModel(text)).toBeDefined();
  });
});

it('checks the smaller fields', () => {
  expect(checkLimit('0')).toBeUndefined();
  expect(checkLimit('-1')).toBeDefined();
  expect(checkPrefixes('vllm:, ray_vllm_, none')).toBeUndefined();
  expect(checkPrefixes('vllm-')).toBeDefined();
  expect(checkQueryParameters('a=1&b=')).toBeUndefined();
  expect(checkQueryParameters('?a=1')).toBeDefined();
});

describe('parseQuantile', () => {
  it.each([
    ['0.99', 0.99],
    ['99', 0.99],
    ['P99.9', 0.999],
    ['p50', 0.5],
    ['95%', 0.95],
    ['P0.1', 0.001],
  ])('reads %p as %p', (text, quantile) => {
    expect(parseQuantile(text)).toBe(quantile);
  });
  it.each(['', '0', '100', 'P100', '-1', 'max'])('refuses %p', (text) => {
    expect(parseQuantile(text)).toBeUndefined();
  });
});
