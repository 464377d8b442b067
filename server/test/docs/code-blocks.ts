/** The code blocks of a document: fenced ones, with their language, and indented ones, which have none. */

export interface CodeBlock {
  /** The line of the first character of the code, from 1. */
  readonly line: number;
  /** `indented` for an indented block, empty for a fenced one without a label. */
  readonly language: string;
  /** The words after the language. */
  readonly words: readonly string[];
  readonly text: string;
}

/** Fences may be indented in a list. A block is indented by four characters after an empty line that is not in a list. */
export function codeBlocksOf(page: string): readonly CodeBlock[] {
  const lines = page.split('\n');
  const blocks: CodeBlock[] = [];
  let isInList = false;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const fence = /^(\s*)```(\S*)\s*(.*)$/.exec(line);
    if (fence !== null) {
      const [, indent = '', language = '', words = ''] = fence;
      const end = lines.findIndex((one, index) => index > at && one.trim() === '```');
      if (end === -1) throw new Error(`line ${at + 1}: the code block does not end`);
      const text = lines.slice(at + 1, end).map((one) => one.slice(Math.min(indent.length, one.search(/\S|$/))));
      blocks.push({ line: at + 2, language, words: words.split(/\s+/).filter(Boolean), text: text.join('\n') });
      at = end;
      continue;
    }
    if (/^(?:[-*]|\d+\.) /.test(line)) isInList = true;
    else if (/^\S/.test(line)) isInList = false;
    if (isInList || !line.startsWith('    ') || (lines[at - 1] ?? '').trim() !== '') continue;
    const first = at;
    while (at + 1 < lines.length && (/^ {4}/.test(lines[at + 1] ?? '') || isBlankWithin(lines, at + 1))) at += 1;
    const text = lines.slice(first, at + 1).map((one) => one.slice(4));
    blocks.push({ line: first + 1, language: 'indented', words: [], text: text.join('\n') });
  }
  return blocks;
}

/** Whether the line is empty and the block continues after it. */
function isBlankWithin(lines: readonly string[], at: number): boolean {
  if ((lines[at] ?? '').trim() !== '') return false;
  const next = lines.slice(at).find((one) => one.trim() !== '');
  return next?.startsWith('    ') === true;
}
