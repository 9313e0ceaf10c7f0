import { formatBytes, formatCount } from './formatBytes';

it('shows the exact number and a readable one', () => {
  expect(formatBytes(2_684_354_560)).toBe('2,684,354,560 B (2.5 GiB)');
  expect(formatBytes(512)).toBe('512 B');
  expect(formatBytes(2 ** 53)).toBe('9,007,199,254,740,992 B (8 PiB)');
  expect(formatCount(8192)).toBe('8,192');
});
