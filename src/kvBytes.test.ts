import { formatBytes, kvBytesPerRequest, MAX_BYTES } from './kvBytes';

const llama70b = { layers: 80, kvHeads: 8, headDim: 128, inputTokens: 8192, kvDtype: 'bf16' };

describe('kvBytesPerRequest', () => {
  it('gives the known size of a 70B model with 8 KV heads and 8192 tokens', () => {
    expect(kvBytesPerRequest(llama70b)).toBe(BigInt(2_684_354_560));
  });

  it.each([
    ['fp8', 1_342_177_280],
    ['int8', 1_342_177_280],
    ['fp16', 2_684_354_560],
    ['fp32', 5_368_709_120],
  ])('scales with the element size of %s', (kvDtype, bytes) => {
    expect(kvBytesPerRequest({ ...llama70b, kvDtype })).toBe(BigInt(bytes));
  });

  it('stays exact above 2^53', () => {
    const huge = kvBytesPerRequest({ ...llama70b, inputTokens: 2 ** 40 + 1 });
    expect(huge).toBe(BigInt(327_680) * (BigInt(2) ** BigInt(40) + BigInt(1)));
    expect(huge).toBeGreaterThan(MAX_BYTES);
  });

  it.each([
    ['a missing field', { ...llama70b, layers: undefined }],
    ['zero', { ...llama70b, kvHeads: 0 }],
    ['a negative number', { ...llama70b, headDim: -128 }],
    ['a fraction', { ...llama70b, inputTokens: 8192.5 }],
    ['an unknown data type', { ...llama70b, kvDtype: 'int4' }],
  ])('says nothing for %s', (_, geometry) => {
    expect(kvBytesPerRequest(geometry)).toBeUndefined();
  });
});

describe('formatBytes', () => {
  it('shows the exact number and a readable one', () => {
    expect(formatBytes(BigInt(2_684_354_560))).toBe('2,684,354,560 B (2.5 GiB)');
    expect(formatBytes(BigInt(512))).toBe('512 B');
  });
});
