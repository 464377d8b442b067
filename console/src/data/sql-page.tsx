/** SQL, run by hand. */
import { PageHeader } from '../show/page-header.tsx';

export function SqlPage() {
  return <PageHeader title="SQL" about="Runs statements in a source, as its database user." />;
}
