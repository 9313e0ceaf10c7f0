import type { ScopedVars, TypedVariableModel } from '@grafana/data';
import type { TemplateSrv } from '@grafana/runtime';

/** "All" as Grafana stores it. */
export const ALL = '$__all';

/** A dashboard variable as far as a text with its name needs it. */
export interface TemplateVariable {
  name: string;
  multi: boolean;
  includeAll: boolean;
  /** What stands for "All"; without it, all options do. */
  allValue?: string;
  /** Selected values, `[ALL]` for all of them. */
  values: string[];
  /** Every value that can be selected. */
  options: string[];
}

type Value = string | string[];
type Formatter = (value: Value, variable: Partial<TemplateVariable>) => string;

/** $name, ${name}, ${name:format}, [[name]], [[name:format]] */
const REFERENCE = /\$(\w+)|\[\[(\w+?)(?::(\w+))?\]\]|\$\{(\w+)(?:\.[^:}]+)?(?::([^}]+))?\}/g;

const escapeRegex = (text: string) => text.replace(/[\\^$*+?.()|[\]{}/]/g, '\\$&');

const many = (value: Value) => (Array.isArray(value) ? value : [value]);

function grouped(value: Value, [open, separator, close]: string) {
  return Array.isArray(value) && value.length > 1 ? open + value.join(separator) + close : many(value).join(separator);
}

function formatted(value: Value, format: string | undefined, name: string): string {
  switch (format) {
    case 'csv':
    case 'raw':
    case 'text':
      return many(value).join(',');
    case 'pipe':
      return many(value).join('|');
    case 'regex':
      return grouped(Array.isArray(value) ? value.map(escapeRegex) : escapeRegex(value), '(|)');
    case 'json':
      return JSON.stringify(value);
    case 'percentencode':
      return encodeURIComponent(grouped(value, '{,}'));
    case 'queryparam':
      return many(value)
        .map((item) => `var-${name}=${encodeURIComponent(item)}`)
        .join('&');
    default:
      return grouped(value, '{,}');
  }
}

/** Grafana's template service over the variables of the dashboard that is open; elsewhere there are none. */
class Templates implements TemplateSrv {
  private variables = new Map<string, TemplateVariable>();

  use(variables: TemplateVariable[]) {
    this.variables = new Map(variables.map((variable) => [variable.name, variable]));
  }

  /** Grafana's variable models have dozens of fields that no data source reads. */
  getVariables(): TypedVariableModel[] {
    return [];
  }

  replace(target = '', scopedVars: ScopedVars = {}, format?: string | Function): string {
    return target.replace(REFERENCE, (match, plain, bracketed, bracketedFormat, braced, bracedFormat) => {
      const name: string = plain ?? bracketed ?? braced;
      const variable = this.variables.get(name);
      const how = bracketedFormat ?? bracedFormat ?? format;
      const scoped = scopedVars[name];
      if (scoped !== undefined) {
        return this.text(scoped.value, variable ?? { name }, how);
      }
      if (variable === undefined) {
        return match;
      }
      if (!variable.values.includes(ALL)) {
        return this.text(variable.multi ? variable.values : (variable.values[0] ?? ''), variable, how);
      }
      if (how === 'queryparam') {
        return formatted(ALL, how, name);
      }
      // A custom "All" is text for the query's own language and is never escaped.
      return variable.allValue
        ? this.replace(variable.allValue, scopedVars)
        : this.text(variable.options, variable, how);
    });
  }

  private text(value: unknown, variable: Partial<TemplateVariable>, how?: string | Function): string {
    const plain: Value = Array.isArray(value) ? value.map(String) : String(value);
    return typeof how === 'function' ? (how as Formatter)(plain, variable) : formatted(plain, how, variable.name ?? '');
  }

  containsTemplate(target = ''): boolean {
    return [...target.matchAll(REFERENCE)].some((match) => this.variables.has(match[1] ?? match[2] ?? match[4]));
  }

  updateTimeRange() {}
}

export const templates = new Templates();
