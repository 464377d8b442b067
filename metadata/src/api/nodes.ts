/** Responses of the commands about the nodes of a service and their settings. */

export interface ServiceNode {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly components: readonly string[];
  /** ISO 8601 in UTC, by the clock of the database, as is `seen_at`. */
  readonly started_at: string;
  readonly seen_at: string;
  /** Whether the node sent a heartbeat within the last seconds. */
  readonly alive: boolean;
  /** Number of due events that the node has claimed. */
  readonly events_in_hand: number;
}

export interface Nodes {
  /** The oldest first. */
  readonly nodes: readonly ServiceNode[];
  /** Id of the node that sent the response. */
  readonly answered_by: string | null;
}

export interface ConfigurationSetting {
  /** The environment variable. */
  readonly name: string;
  /** The command-line option without its dashes. */
  readonly flag: string;
  /** Null where the setting has no value. Secrets are masked. */
  readonly value: string | null;
  readonly from: 'default' | 'environment' | 'flag';
  readonly default: string | null;
  /** Description of the setting. */
  readonly meaning: string;
}

export interface Configuration {
  /** Id of the node that sent the response; other nodes may have other settings. */
  readonly node: string | null;
  readonly settings: readonly ConfigurationSetting[];
}
