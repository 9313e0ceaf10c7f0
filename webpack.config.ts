import CopyWebpackPlugin from 'copy-webpack-plugin';
import webpack, { type Compiler, type Configuration } from 'webpack';
import { merge } from 'webpack-merge';

import grafanaConfig, { type Env } from './.config/webpack/webpack.config.ts';

/**
 * Grafana provides React and its own packages. One of them in the bundle would mean two Reacts in one page, which
 * breaks hooks on every other Grafana version, so the build fails instead.
 */
class NothingOfGrafanaBundled {
  private readonly shared = /[\\/]node_modules[\\/](react|react-dom|@grafana[\\/](data|runtime|ui))[\\/]/;

  apply(compiler: Compiler) {
    compiler.hooks.compilation.tap('NothingOfGrafanaBundled', (compilation) => {
      compilation.hooks.finishModules.tap('NothingOfGrafanaBundled', (modules) => {
        for (const module of modules) {
          const path = module.nameForCondition() ?? '';
          if (this.shared.test(path)) {
            compilation.errors.push(new webpack.WebpackError(`${path} must come from Grafana, not from the bundle`));
          }
        }
      });
    });
  }
}

// The scaffold's own webpack configuration stays untouched in .config; this file adds that check and the bundled dashboards,
// which are generated at the top level so that provisioning can mount them too.
const config = async (env: Env): Promise<Configuration> =>
  merge(await grafanaConfig(env), {
    plugins: [
      new NothingOfGrafanaBundled(),
      new CopyWebpackPlugin({
        patterns: [{ from: '../dashboards/*.json', to: 'dashboards/[name][ext]', noErrorOnMissing: true }],
      }),
    ],
  });

export default config;
