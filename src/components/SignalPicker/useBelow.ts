import { useLayoutEffect, useRef, useState, type CSSProperties } from 'react';

const WIDTH = 560;
const HEIGHT = 420;
const GAP = 4;

/** Places something fixed under its anchor, or above where there is more room, and keeps it there while it is open. */
export function useBelow<T extends HTMLElement>(isOpen: boolean) {
  const anchorRef = useRef<T>(null);
  const [place, setPlace] = useState<CSSProperties>({});

  useLayoutEffect(() => {
    if (!isOpen) {
      return;
    }
    const follow = () => {
      const anchor = anchorRef.current?.getBoundingClientRect();
      if (!anchor) {
        return;
      }
      const below = window.innerHeight - anchor.bottom - 2 * GAP;
      const above = anchor.top - 2 * GAP;
      const width = Math.min(WIDTH, window.innerWidth - 2 * GAP);
      const left = Math.max(GAP, Math.min(anchor.left, window.innerWidth - width - GAP));
      setPlace(
        below >= Math.min(HEIGHT, above)
          ? { left, width, top: anchor.bottom + GAP, maxHeight: Math.min(HEIGHT, below) }
          : { left, width, bottom: window.innerHeight - anchor.top + GAP, maxHeight: Math.min(HEIGHT, above) }
      );
    };
    follow();
    window.addEventListener('resize', follow);
    // Scrolling of any element around the anchor, which does not bubble.
    window.addEventListener('scroll', follow, true);
    return () => {
      window.removeEventListener('resize', follow);
      window.removeEventListener('scroll', follow, true);
    };
  }, [isOpen]);

  return { anchorRef, place };
}
