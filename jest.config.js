// Dates and times in the tests do not depend on where they run.
process.env.TZ = 'UTC';

const base = require('./.config/jest.config');
const { grafanaESModules, nodeModulesToTransform } = require('./.config/jest/utils');

module.exports = {
  ...base,
  // Whole editors are rendered; a shared machine needs more than the usual five seconds for the longest.
  testTimeout: 30_000,
  // Some libraries of @grafana/ui ship ES modules only, in part as .mjs; the scaffold's list is older than they are.
  transform: { ...base.transform, '^.+\\.mjs$': base.transform['^.+\\.(t|j)sx?$'] },
  transformIgnorePatterns: [
    nodeModulesToTransform([...grafanaESModules, '@react-hookz/web', '@marcbachmann/cel-js', '@ver0/deep-equal']),
  ],
};
