/** Keyboard shortcuts: parsing, matching and their text. Pure. */

export interface Shortcut {
  /** `?`, `Mod+K`, `Shift+Enter` or a sequence such as `g t`. `Mod` is Ctrl, or Command on a Mac. */
  readonly keys: string;
  readonly label: string;
  /** Undefined when the page itself handles the key. Then the shortcut is listed only. */
  readonly run?: (() => void) | undefined;
}

/** The part of a keyboard event that is matched. */
export interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** Whether the event is one step of a shortcut. */
export function isPressed(step: string, event: Pressed, isMac: boolean): boolean {
  const parts = step === '+' ? ['+'] : step.split('+');
  const key = parts.at(-1) ?? '';
  const has = (name: string): boolean => parts.slice(0, -1).includes(name);
  const mod = isMac ? event.metaKey : event.ctrlKey;
  const other = isMac ? event.ctrlKey : event.metaKey;
  if (other || mod !== has('Mod') || event.altKey !== has('Alt')) return false;
  // Shift is part of a character such as `?`.
  const isCharacter = key.length === 1 && !has('Mod');
  if (!isCharacter && event.shiftKey !== has('Shift')) return false;
  return isCharacter ? event.key === key : event.key.toLowerCase() === key.toLowerCase();
}

/** Whether the shortcut applies while text is typed. */
export function appliesInFields(keys: string): boolean {
  return keys.includes('Mod+');
}

export function stepsOf(keys: string): readonly string[] {
  return keys.split(' ');
}

const symbols: Readonly<Record<string, string>> = {
  ArrowDown: '↓',
  ArrowUp: '↑',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
};

/** The keys of each step, as they are printed on a keyboard: `[['Ctrl', 'K']]`. */
export function printedKeys(keys: string, isMac: boolean): readonly (readonly string[])[] {
  return stepsOf(keys).map((step) =>
    (step === '+' ? ['+'] : step.split('+')).map((key) => {
      if (key === 'Mod') return isMac ? '⌘' : 'Ctrl';
      if (key === 'Alt') return isMac ? '⌥' : 'Alt';
      return symbols[key] ?? key;
    }),
  );
}
