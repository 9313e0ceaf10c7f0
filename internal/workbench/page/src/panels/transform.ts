import {
  standardTransformers,
  standardTransformersRegistry,
  transformDataFrame,
  type DataFrame,
  type DataTransformerConfig,
  type TransformerRegistryItem,
} from '@grafana/data';
import type { Observable } from 'rxjs';

const NoEditor = () => null;

// Grafana's core fills this registry. Nothing else in the packages holds the transformations.
standardTransformersRegistry.setInit(() => {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- there is no other way outside Grafana.
  const known = Object.values(standardTransformers);
  // Some are there under an older name too.
  const unique = known.filter(({ id }, index) => known.findIndex((other) => other.id === id) === index);
  return unique.map((transformation): TransformerRegistryItem => ({
    id: transformation.id,
    name: transformation.name,
    transformation: () => Promise.resolve(transformation),
    editor: NoEditor,
    imageDark: '',
    imageLight: '',
  }));
});

/** A table shows one frame, so several become one. */
const MERGE: DataTransformerConfig = { id: 'merge', options: {} };

export function transformed(
  frames: DataFrame[],
  type: string,
  transformations: DataTransformerConfig[] = []
): Observable<DataFrame[]> {
  const enabled = transformations.filter(({ disabled }) => !disabled);
  const merging = type === 'table' && enabled.length === 0 && frames.length > 1 ? [MERGE] : [];
  return transformDataFrame([...enabled, ...merging], frames);
}
