import { useCallback, useRef, useState, type RefCallback } from 'react';

interface Size {
  width: number;
  height: number;
}

/** The size of an element, in whole pixels: charts are drawn for one. */
export function useSize(): [RefCallback<HTMLElement>, Size] {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  const observer = useRef<ResizeObserver>(null);
  const ref = useCallback((element: HTMLElement | null) => {
    observer.current?.disconnect();
    if (element) {
      observer.current = new ResizeObserver(([entry]) => {
        const width = Math.floor(entry.contentRect.width);
        const height = Math.floor(entry.contentRect.height);
        setSize((old) => (old.width === width && old.height === height ? old : { width, height }));
      });
      observer.current.observe(element);
    }
  }, []);
  return [ref, size];
}
