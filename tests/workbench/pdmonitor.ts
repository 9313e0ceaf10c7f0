import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** The command with the page in it; `go tool mage build:command` builds it. */
export const program = 'bin/pdmonitor';

/** A pdmonitor of a test's own, beside the demo that all tests share. */
export class Pdmonitor {
  private constructor(
    private readonly process: ChildProcess,
    /** Where its workbench is. */
    readonly url: string
  ) {}

  /** Starts `demo` or `serve` and waits for the address that it prints. */
  static async start(...args: string[]): Promise<Pdmonitor> {
    const process = spawn(program, [...args, '--open=false'], { stdio: ['ignore', 'ignore', 'pipe'] });
    const said: string[] = [];
    for await (const line of createInterface({ input: process.stderr })) {
      said.push(line);
      const url = /Workbench: +(http\S+)/.exec(line)?.[1];
      if (url !== undefined) {
        // What nobody reads would stop it once the pipe is full.
        process.stderr.resume();
        return new Pdmonitor(process, url);
      }
    }
    throw new Error(`pdmonitor ${args.join(' ')} gave no address:\n${said.join('\n')}`);
  }

  async stop(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      const ended = once(this.process, 'exit');
      this.process.kill('SIGINT');
      await ended;
    }
  }
}
