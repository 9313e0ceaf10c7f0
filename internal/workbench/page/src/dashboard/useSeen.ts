import { useCallback, useRef, useState, type RefCallback } from 'react';

/** Whether an element is on the screen or nearly so. Panels that nobody sees ask nothing. */
export function useSeen(): [RefCallback<HTMLElement>, boolean] {
  const [isSeen, setSeen] = useState(false);
  const observer = useRef<IntersectionObserver>(null);
  const ref = useCallback((element: HTMLElement | null) => {
    observer.current?.disconnect();
    if (element) {
      observer.current = new IntersectionObserver(([entry]) => setSeen(entry.isIntersecting), { rootMargin: '200px' });
      observer.current.observe(element);
    }
  }, []);
  return [ref, isSeen];
}
