const groups = new Intl.NumberFormat('en-US');
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** 8192 → "8,192". */
export function formatCount(count: number): string {
  return groups.format(count);
}

/** 2684354560 → "2,684,354,560 B (2.5 GiB)". */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const exact = `${formatCount(bytes)} B`;
  return unit === 0 ? exact : `${exact} (${Number(value.toFixed(2))} ${UNITS[unit]})`;
}
