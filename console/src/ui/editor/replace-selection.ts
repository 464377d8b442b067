/** Replaces selected text without the browser, which would keep its colors as style attributes. */
import { EditorView } from '@uiw/react-codemirror';

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The content security policy forbids the style attributes that browsers add to text typed over colored text. */
export const replaceSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const text = event.data;
    if (event.inputType !== 'insertText' || text === null || event.isComposing || view.state.readOnly) return false;
    const range = replacedRange(event, view);
    if (range.from === range.to) return false;
    event.preventDefault();
    insert(view, range, text);
    return true;
  },
});

/** The browser's range contains rendered lines only; the range of the editor can be older than a selection by a script. */
function replacedRange(event: InputEvent, view: EditorView): Range {
  const { main } = view.state.selection;
  const [target] = event.getTargetRanges();
  if (target === undefined) return main;
  const from = view.posAtDOM(target.startContainer, target.startOffset);
  const to = view.posAtDOM(target.endContainer, target.endOffset);
  return !main.empty && from >= main.from && to <= main.to ? main : { from, to };
}

/** Input handlers, such as the one that closes brackets, precede the insertion. */
function insert(view: EditorView, { from, to }: Range, text: string): void {
  const create = () =>
    view.state.update({
      changes: { from, to, insert: view.state.toText(text) },
      selection: { anchor: from + text.length },
      userEvent: 'input.type',
      scrollIntoView: true,
    });
  const handlers = view.state.facet(EditorView.inputHandler);
  if (!handlers.some((handle) => handle(view, from, to, text, create))) view.dispatch(create());
}
