/** Registers keyboard shortcuts while a component is mounted. The help sheet lists them. */
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { appliesInFields, isPressed, type Shortcut, stepsOf } from './keys.ts';

export interface ShortcutGroup {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}

/** Milliseconds between the keys of a sequence. */
const SEQUENCE_MS = 1_000;

export const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent);

let groups: readonly ShortcutGroup[] = [];
const listeners = new Set<() => void>();
/** The keys of a sequence that are pressed so far. */
let begun: { readonly steps: readonly string[]; readonly at: number } = { steps: [], at: 0 };

function change(next: readonly ShortcutGroup[]): void {
  if (groups.length === 0 && next.length > 0) window.addEventListener('keydown', onKeyDown, { capture: true });
  if (next.length === 0) window.removeEventListener('keydown', onKeyDown, { capture: true });
  groups = next;
  for (const listener of listeners) listener();
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.isComposing || ['Shift', 'Control', 'Alt', 'Meta'].includes(event.key)) return;
  const previous = event.timeStamp - begun.at < SEQUENCE_MS ? begun.steps : [];
  begun = { steps: [], at: 0 };
  const isField = isTextField(event.target);
  // The last registered group is that of the innermost part of the page.
  for (const shortcut of groups.toReversed().flatMap((group) => group.shortcuts)) {
    if (shortcut.run === undefined || (isField && !appliesInFields(shortcut.keys))) continue;
    if (isBehindDialog(shortcut)) continue;
    const steps = stepsOf(shortcut.keys);
    const isBegun = previous.every((step, index) => step === steps[index]);
    const step = steps[previous.length];
    if (!isBegun || step === undefined || !isPressed(step, event, isMac)) continue;
    event.preventDefault();
    if (previous.length + 1 === steps.length) {
      shortcut.run();
      return;
    }
    begun = { steps: [...previous, step], at: event.timeStamp };
  }
}

/** Single keys do nothing while a dialog is open. */
function isBehindDialog({ keys }: Shortcut): boolean {
  return !appliesInFields(keys) && document.querySelector('[role="dialog"][aria-modal="true"]') !== null;
}

function isTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select');
}

/** `title` names the group in the help sheet. */
export function useShortcuts(title: string, shortcuts: readonly Shortcut[]): void {
  const run = useEffectEvent((keys: string) => shortcuts.find((one) => one.keys === keys)?.run?.());
  const text = JSON.stringify(shortcuts.map(({ keys, label, run: own }) => ({ keys, label, runs: own !== undefined })));
  useEffect(() => {
    const listed = JSON.parse(text) as readonly {
      readonly keys: string;
      readonly label: string;
      readonly runs: boolean;
    }[];
    const group: ShortcutGroup = {
      title,
      shortcuts: listed.map(({ keys, label, runs }) => ({ keys, label, run: runs ? () => run(keys) : undefined })),
    };
    change([...groups, group]);
    return () => change(groups.filter((one) => one !== group));
  }, [title, text]);
}

/** All registered shortcuts, those of the same title together. */
export function useShortcutGroups(): readonly ShortcutGroup[] {
  return useSyncExternalStore(
    (notify) => {
      listeners.add(notify);
      return () => listeners.delete(notify);
    },
    () => groups,
  );
}
