/** Closes the topmost of the open dialogs and drawers with Escape. */
import { useEffect, useEffectEvent } from 'react';

/** In the order in which they were opened. */
const opened: { readonly close: () => void }[] = [];

/** The Escape key that an open list or menu takes, seen before that list closes. */
let taken: Event | undefined;

const inside = '[data-mantine-stop-propagation="true"], [role="menu"], [role="listbox"]';

function onCapture(event: KeyboardEvent): void {
  if (event.key !== 'Escape') return;
  const isTaken = event.target instanceof Element && event.target.closest(inside) !== null;
  taken = isTaken || event.isComposing ? event : undefined;
}

/** After all controls, so that an editor can close its list of completions first. */
function onBubble(event: KeyboardEvent): void {
  if (event.key !== 'Escape' || event === taken || event.defaultPrevented) return;
  opened.at(-1)?.close();
}

/** Calls `onEscape` while `isOpen` and nothing was opened above since. */
export function useEscape(isOpen: boolean, onEscape: () => void): void {
  const close = useEffectEvent(onEscape);
  useEffect(() => {
    if (!isOpen) return undefined;
    const entry = { close };
    if (opened.length === 0) {
      window.addEventListener('keydown', onCapture, { capture: true });
      window.addEventListener('keydown', onBubble);
    }
    opened.push(entry);
    return () => {
      opened.splice(opened.indexOf(entry), 1);
      if (opened.length > 0) return;
      window.removeEventListener('keydown', onCapture, { capture: true });
      window.removeEventListener('keydown', onBubble);
    };
  }, [isOpen]);
}
