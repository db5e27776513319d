import { expect, it } from 'vitest';
import { dashboards } from './dashboards.ts';
import { layoutPage } from './layout-page.ts';

it('shows every panel of every dashboard', () => {
  const page = layoutPage(dashboards().values());
  for (const dashboard of dashboards().values()) expect(page).toContain(`<h1 id="${dashboard.uid}">`);
  expect(page.match(/class="panel"/gu)?.length).toBeGreaterThan(80);
});
