import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A Prometheus with a fault, at an address of its own. */
export class FaultyServer {
  private constructor(
    private readonly server: Server,
    readonly url: string
  ) {}

  static start(answer: RequestListener): Promise<FaultyServer> {
    const server = createServer(answer);
    return new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () =>
        resolve(new FaultyServer(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`))
      );
    });
  }

  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** Lets nobody in. */
export const unauthorised: RequestListener = (_request, response) => {
  response.writeHead(401, { 'Content-Type': 'text/plain' }).end('who are you?');
};

/** Takes every call and never answers. */
export const silent: RequestListener = () => {};

/** Holds metrics of these names, none of which has a sample, and no others. */
export function holding(...names: string[]): RequestListener {
  return (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://server');
    const data = pathname.endsWith('/query')
      ? { resultType: 'vector', result: [] }
      : pathname.endsWith('/query_range')
        ? { resultType: 'matrix', result: [] }
        : pathname.endsWith('/buildinfo')
          ? { version: '3.5.0' }
          : pathname.endsWith('/__name__/values')
            ? names
            : pathname.endsWith('/metadata')
              ? {}
              : [];
    request.resume();
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ status: 'success', data }));
  };
}
