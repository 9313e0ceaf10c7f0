import { defineConfig } from 'eslint/config';
import baseConfig from './.config/eslint.config.mjs';

export default defineConfig([
  {
    ignores: [
      '**/node_modules/',
      '**/dist/',
      '**/coverage/',
      'test-results/',
      'playwright-report/',
      'blob-report/',
      'playwright/.cache/',
      'playwright/.auth/',
    ],
  },
  ...baseConfig,
  {
    files: ['internal/workbench/page/src/**/*.{ts,tsx}'],
    languageOptions: { parserOptions: { project: './internal/workbench/page/tsconfig.json' } },
  },
  {
    files: ['src/**/*.{ts,tsx}', 'internal/workbench/page/src/**/*.{ts,tsx}'],
    rules: {
      'no-console': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-deprecated': 'error',
    },
  },
  {
    // Grafana's types still require fields that they call deprecated.
    files: ['src/**/*.test.{ts,tsx}', 'src/testing/**'],
    rules: {
      '@typescript-eslint/no-deprecated': 'off',
    },
  },
]);
