/** The tables of a source and what joins them, as a diagram. */
import { sourcePath } from '../data/table-paths.ts';
import { PageHeader } from '../show/page-header.tsx';

export function DiagramPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { source = '' } = params;
  return <PageHeader title="Diagram" back={{ to: sourcePath(source), label: 'Tables' }} />;
}
