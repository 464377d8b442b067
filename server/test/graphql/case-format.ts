/** Formats JSON and SQL of cases. Changes only white space. */

const width = 100;

type Json = { readonly open: string; readonly close: string; readonly items: { key: string; value: Json }[] } | string;

/** Formats JSON. Objects and lists that fit are on one line. Numbers keep their digits. */
export function prettyJson(text: string): string {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  let at = 0;
  const read = (): Json => {
    const token = tokens[at++] ?? '';
    if (token !== '{' && token !== '[') return token;
    const close = token === '{' ? '}' : ']';
    const items: { key: string; value: Json }[] = [];
    while (tokens[at] !== close) {
      if (tokens[at] === ',') at += 1;
      let key = '';
      if (token === '{') {
        key = `${tokens[at]}: `;
        at += 2;
      }
      items.push({ key, value: read() });
    }
    at += 1;
    return { open: token, close, items };
  };
  return `${formatLines(read(), '')}\n`;
}

function formatLines(json: Json, indent: string): string {
  if (typeof json === 'string') return json;
  const line = inline(json);
  if (line.length + indent.length <= width) return line;
  const inner = `${indent}  `;
  const lines = json.items.map(({ key, value }) => `${inner}${key}${formatLines(value, inner)}`);
  return `${json.open}\n${lines.join(',\n')}\n${indent}${json.close}`;
}

function inline(json: Json): string {
  if (typeof json === 'string') return json;
  const items = json.items.map(({ key, value }) => key + inline(value)).join(', ');
  return json.open === '{' && items !== '' ? `{ ${items} }` : json.open + items + json.close;
}

/** Formats SQL. Selects in parentheses are indented, and clauses begin lines. */
export function prettySql(text: string): string {
  const tokens = text.match(/'(?:[^']|'')*'|"(?:[^"]|"")*"|[()]|[^'"()]+/g) ?? [];
  const open: boolean[] = [];
  let result = '';
  let depth = 0;
  const newline = () => `\n${'  '.repeat(depth)}`;
  tokens.forEach((token, index) => {
    if (token === '(') {
      const nested = /^(?:select|with)\b/.test(tokens[index + 1] ?? '');
      open.push(nested);
      result += token;
      if (nested) {
        depth += 1;
        result += newline();
      }
    } else if (token === ')') {
      if (open.pop()) {
        depth -= 1;
        result += newline();
      }
      result += token;
    } else if (/^['"]/.test(token)) {
      result += token;
    } else {
      const clause = open.length > 0 && open.at(-1) === false;
      result += clause ? token : token.replace(/ (?=(?:from|left join|where|having|order by|limit|offset) )/g, newline);
    }
  });
  return `${result}\n`;
}
