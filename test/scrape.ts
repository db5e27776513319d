/** Scrapes once and gives the text. Throws on any answer but 200. */
export async function scrape(url: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await fetch(`${url}/metrics`, { headers });
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  return answer.text();
}

/** Scrapes until the text fulfils a condition. Throws with the last text when that takes too long. */
export async function scrapeUntil(url: string, condition: (text: string) => boolean): Promise<string> {
  const deadline = Date.now() + 20_000;
  while (true) {
    const text = await scrape(url);
    if (condition(text)) return text;
    if (Date.now() > deadline) throw new Error(`not within 20 s; the last scrape:\n${aboutCluster(text)}`);
  }
}

/** The part of an exposition that is about the cluster, without the exporter's own telemetry. */
export function aboutCluster(text: string): string {
  return text
    .split('\n')
    .filter((line) => /^(?:# (?:HELP|TYPE) )?gke_(?!disruption_)/u.test(line))
    .map((line) => `${line}\n`)
    .join('');
}

/** The samples of an exposition that are about one node. */
export function samplesOf(text: string, node: string): string[] {
  return text.split('\n').filter((line) => !line.startsWith('#') && line.includes(`node="${node}"`));
}
