/**
 * KV-cache bytes of one request for grouped-query attention with equal layers: keys and values, hence the 2.
 * Other architectures (MLA, sliding windows, hybrid layers) need the model's config.json, which the server reads.
 */

/** Bytes of one element. Formats with scales beside the data (int4, nvfp4 …) have no such number and are not offered. */
export const KV_DTYPES: Record<string, bigint> = {
  bf16: BigInt(2),
  fp16: BigInt(2),
  fp32: BigInt(4),
  fp8: BigInt(1),
  fp8_e4m3: BigInt(1),
  fp8_e5m2: BigInt(1),
  int8: BigInt(1),
};

export const DEFAULT_KV_DTYPE = 'bf16';

export interface Geometry {
  layers?: number;
  kvHeads?: number;
  headDim?: number;
  inputTokens?: number;
  kvDtype?: string;
}

/** Undefined while a field is missing or wrong. BigInt, because the product of legal fields may pass 2^53. */
export function kvBytesPerRequest(geometry: Geometry): bigint | undefined {
  const { layers, kvHeads, headDim, inputTokens, kvDtype = DEFAULT_KV_DTYPE } = geometry;
  const elementBytes = KV_DTYPES[kvDtype];
  const factors = [layers, kvHeads, headDim, inputTokens];
  if (elementBytes === undefined || !factors.every((factor) => Number.isSafeInteger(factor) && Number(factor) > 0)) {
    return undefined;
  }
  return factors.reduce<bigint>((product, factor) => product * BigInt(factor ?? 0), BigInt(2) * elementBytes);
}

export const MAX_BYTES = BigInt(Number.MAX_SAFE_INTEGER);

const groups = new Intl.NumberFormat('en-US');
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** 2684354560n → "2,684,354,560 B (2.5 GiB)". */
export function formatBytes(bytes: bigint | number): string {
  let value = Number(bytes);
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const exact = `${groups.format(bytes)} B`;
  return unit === 0 ? exact : `${exact} (${Number(value.toFixed(2))} ${UNITS[unit]})`;
}
