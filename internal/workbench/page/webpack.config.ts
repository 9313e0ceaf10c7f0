import { readFileSync } from 'node:fs';
import path from 'node:path';

import CopyWebpackPlugin from 'copy-webpack-plugin';
import TerserPlugin from 'terser-webpack-plugin';
import { sources, Compilation, type Compiler, type Configuration } from 'webpack';

const here = path.resolve(process.cwd(), 'internal/workbench/page');
const packages = path.resolve(process.cwd(), 'node_modules');

/** index.html names the bundle, whose name changes with what is in it. */
class IndexPage {
  apply(compiler: Compiler) {
    compiler.hooks.thisCompilation.tap('IndexPage', (compilation) => {
      const stage = Compilation.PROCESS_ASSETS_STAGE_REPORT;
      compilation.hooks.processAssets.tap({ name: 'IndexPage', stage }, () => {
        const scripts = (compilation.entrypoints.get('main')?.getFiles() ?? []).filter((file) => file.endsWith('.js'));
        const tags = scripts.map((file) => `<script defer src="/public/${file}"></script>`).join('\n    ');
        const template = readFileSync(path.join(here, 'src/index.html'), 'utf8');
        compilation.emitAsset('index.html', new sources.RawSource(template.replace('<!-- scripts -->', tags)));
      });
    });
  }
}

/** Fonts under the names by which Grafana's global styles ask for them; the packages of Grafana hold none. */
const FONTS = {
  '@fontsource/inter/files/inter-latin-400-normal.woff2': 'inter/Inter-Regular.woff2',
  '@fontsource/inter/files/inter-latin-500-normal.woff2': 'inter/Inter-Medium.woff2',
  '@fontsource/inter/files/inter-latin-400-italic.woff2': 'inter/Inter-Italic.woff2',
  '@fontsource/inter/files/inter-latin-500-italic.woff2': 'inter/Inter-MediumItalic.woff2',
  '@fontsource/inter/LICENSE': 'inter/LICENSE',
  '@fontsource/roboto-mono/files/roboto-mono-latin-400-normal.woff2':
    'roboto/L0xTDF4xlVMF-BfR8bXMIhJHg45mwgGEFl0_3vrtSM1J-gEPT5Ese6hmHSh0mQ.woff2',
  '@fontsource/roboto-mono/LICENSE': 'roboto/LICENSE',
};

const config = (env: { development?: boolean } = {}): Configuration => ({
  mode: env.development ? 'development' : 'production',
  context: here,
  entry: { main: './src/boot.ts' },
  // No eval in any mode: the page is served with a policy that forbids it.
  devtool: env.development ? 'source-map' : false,
  cache: { type: 'filesystem', name: env.development ? 'workbench-dev' : 'workbench' },
  output: {
    path: path.join(here, 'dist'),
    filename: 'build/[name].[contenthash:12].js',
    assetModuleFilename: 'build/[name].[contenthash:12][ext]',
    publicPath: '/public/',
    clean: { keep: '.keep' },
  },
  resolve: {
    extensions: ['.tsx', '.ts', '.mjs', '.js', '.json'],
    alias: { plugin: path.resolve(process.cwd(), 'src') },
  },
  module: {
    rules: [
      // Grafana's packages are written for bundlers, not for Node: no file extensions, default imports of CommonJS.
      { test: /\.mjs$/, type: 'javascript/auto', resolve: { fullySpecified: false } },
      {
        test: /\.tsx?$/,
        exclude: /node_modules/,
        loader: 'swc-loader',
        options: {
          jsc: { target: 'es2022', parser: { syntax: 'typescript', tsx: true } },
        },
      },
      { test: /\.css$/, use: ['style-loader', 'css-loader'] },
      { test: /\.(svg|ttf|woff2?)$/, type: 'asset/resource' },
      { test: /\.md$/, type: 'asset/source' },
    ],
  },
  optimization: {
    // swc minifies several times as fast as Terser.
    minimizer: [new TerserPlugin({ minify: TerserPlugin.swcMinify, extractComments: false })],
  },
  performance: { hints: false },
  plugins: [
    new IndexPage(),
    new CopyWebpackPlugin({
      patterns: [
        { from: path.join(packages, '@grafana/ui/dist/public/img'), to: 'build/img' },
        // Icons that Grafana's components name and their package does not hold.
        { from: 'icons', to: 'build/img/icons/unicons' },
        { from: '../../../src/img/logo.svg', to: 'build/img/logo.svg' },
        ...Object.entries(FONTS).map(([from, to]) => ({
          from: path.join(packages, from),
          to: `fonts/${to}`,
          toType: 'file' as const,
        })),
      ],
    }),
  ],
  stats: 'errors-warnings',
});

export default config;
