/** The headers that a request is sent with. Pure. */
import type { Headers } from '../../../shared/graphql/graphql-api.ts';
import { isSessionProblem, sessionHeaders } from '../../../shared/graphql/role-session.ts';
import type { Mark } from '../../../ui/editor/editor-props.ts';
import { headerLines, headerWarnings } from './header-lines.ts';

interface Written {
  readonly role: string;
  /** One session variable per line. */
  readonly session: string;
  /** One header per line. */
  readonly headers: string;
  readonly sendsSecret: boolean;
}

export interface SentHeaders {
  /** All headers except the admin secret of the sign-in. Undefined when a line is invalid. */
  readonly sent: Headers | undefined;
  /** Role and session variables, for the plan. */
  readonly user: Headers | undefined;
  readonly headerMarks: readonly Mark[];
  readonly sessionMarks: readonly Mark[];
}

/**
 * Headers are sent as written, and replace those of the role and the session variables. Without the admin secret the role
 * is sent only if there is one: the service takes the default role of the credentials.
 */
export function sentHeaders(written: Written, prefix: string): SentHeaders {
  const { headers, marks } = headerLines(written.headers);
  const session = sessionHeaders(written.role, written.session, prefix);
  const own = Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value]));
  if (isSessionProblem(session)) {
    const sessionMarks = [sessionMark(written.session, session.problem)];
    return { sent: undefined, user: undefined, headerMarks: marks, sessionMarks };
  }
  const { [`${prefix}role`]: role = '', ...variables } = session;
  const hasRole = written.sendsSecret || written.role.trim() !== '';
  const beside: Headers = { ...(hasRole && { [`${prefix}role`]: role }), ...variables };
  const warnings = headerWarnings(headers, { prefix, session: beside, sendsSecret: written.sendsSecret });
  const sent = { 'content-type': 'application/json', ...beside, ...own };
  return {
    sent: marks.length > 0 ? undefined : sent,
    user: marks.length > 0 ? undefined : sessionIn(sent, prefix),
    headerMarks: [...marks, ...warnings],
    sessionMarks: unusedSession(written),
  };
}

/** Returns the role and the session variables of headers. */
function sessionIn(headers: Headers, prefix: string): Headers {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.startsWith(prefix) && name !== `${prefix}admin-secret`),
  );
}

/** Marks the line that a problem such as `line 2 must be …` names, else the whole text. */
function sessionMark(text: string, problem: string): Mark {
  const [, line = '1'] = /^line (\d+)/.exec(problem) ?? [];
  const lines = text.split('\n');
  const from = lines.slice(0, Number(line) - 1).join('\n').length + (line === '1' ? 0 : 1);
  return { from, to: from + (lines[Number(line) - 1]?.length ?? 0), message: problem, severity: 'error' };
}

/** Credentials other than the admin secret have session variables of their own. */
function unusedSession({ session, sendsSecret }: Written): readonly Mark[] {
  if (sendsSecret || session.trim() === '') return [];
  const message = 'The service takes session variables from the credentials while the admin secret is not sent';
  return [{ from: 0, to: session.length, message, severity: 'warning' }];
}
