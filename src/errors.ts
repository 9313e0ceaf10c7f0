function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** The text of a failed resource call: `{"error": {"message": …}}` of our back end, else what Grafana says. */
export function errorMessage(error: unknown): string {
  const data = field(error, 'data');
  const candidates = [
    field(field(data, 'error'), 'message'),
    field(data, 'message'),
    field(error, 'message'),
    field(error, 'statusText'),
    error,
  ];
  const message = candidates.find((candidate) => typeof candidate === 'string' && candidate !== '');
  return typeof message === 'string' ? message : 'unknown error';
}

/** What our back end itself said against a call; undefined where the call did not reach it. */
export function refusal(error: unknown): string | undefined {
  const message = field(field(field(error, 'data'), 'error'), 'message');
  return typeof message === 'string' && message !== '' ? message : undefined;
}
