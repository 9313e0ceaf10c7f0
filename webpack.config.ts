import CopyWebpackPlugin from 'copy-webpack-plugin';
import type { Configuration } from 'webpack';
import { merge } from 'webpack-merge';

import grafanaConfig, { type Env } from './.config/webpack/webpack.config.ts';

// The scaffold's own configuration stays untouched in .config; this file only adds the
// bundled dashboards, which are generated at the top level so that provisioning can mount them too.
const config = async (env: Env): Promise<Configuration> =>
  merge(await grafanaConfig(env), {
    plugins: [
      new CopyWebpackPlugin({
        patterns: [{ from: '../dashboards/*.json', to: 'dashboards/[name][ext]', noErrorOnMissing: true }],
      }),
    ],
  });

export default config;
