/** The response of a command that has nothing to report beyond its success. */
export interface Success {
  readonly message: 'success';
}
