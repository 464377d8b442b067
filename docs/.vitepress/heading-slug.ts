/** Anchors of headings, the same as those of the repository's web page: links with anchors work in both. */

/** Returns the anchor of a heading: `## How it is served` has `how-it-is-served`. */
export function headingSlug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
