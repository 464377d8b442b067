/** What is wrong with a project's files. */

/** The message names the file and, where known, line and column. */
export class ProjectError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ProjectError';
  }
}
