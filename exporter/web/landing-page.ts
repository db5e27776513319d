import escapeHtml from 'escape-html';
import type { ReadinessCheck } from './readiness.ts';

export interface LandingPageOptions {
  readonly title: string;
  readonly version: string;
  readonly telemetryPath: string;
  readonly checks: readonly ReadinessCheck[];
}

/** The page at `/`, for people who open the address in a browser. */
export function landingPage({ title, version, telemetryPath, checks }: LandingPageOptions): string {
  const rows = checks.map(
    (check) =>
      `<tr><th scope="row">${escapeHtml(check.name)}</th><td class="${check.isReady() ? 'ok' : 'bad'}">${escapeHtml(check.describe())}</td></tr>`,
  );
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 44rem; margin: 3rem auto; padding: 0 1rem; }
th { text-align: left; font-weight: 500; padding-right: 2rem; }
.ok { color: light-dark(#116329, #57d364); }
.bad { color: light-dark(#a40e26, #ff7b72); }
</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
<p>Interruptions of GKE nodes as Prometheus series. Version ${escapeHtml(version)}.</p>
<ul>
<li><a href="${escapeHtml(telemetryPath)}">Metrics</a></li>
<li><a href="/readyz?verbose">Readiness</a>, <a href="/livez">liveness</a></li>
</ul>
<h2>Collectors</h2>
<table>
${rows.join('\n')}
</table>
</body>
</html>
`;
}
