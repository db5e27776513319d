import { lines } from './graphs.ts';
import type { Section } from './layout.ts';
import type { PanelText, Query, UnplacedPanel } from './panel.ts';

const NOT_SCRAPED = 'No exporter was scraped in the time range';

/** What scraping the exporter takes, and what it takes itself. */
export function runtime(matchers: string): Section {
  const of = (name: string): string => `${name}{${matchers}}`;
  return {
    id: 102,
    title: 'Scrapes and process',
    lines: [
      {
        height: 8,
        panels: [
          [8, scrapeTime(of)],
          [8, scrapeSize(of)],
          [8, memory(of)],
        ],
      },
      {
        height: 8,
        panels: [
          [8, eventLoop(of)],
          [8, processor(of)],
          [8, files(of)],
        ],
      },
    ],
  };
}

type Select = (name: string) => string;

/** Of several exporters the one that is worst, and the one in the middle: on each node of a large cluster there may be one. */
function worstAndMiddle(text: Omit<PanelText, 'noValue'>, what: string, query: string): UnplacedPanel {
  const queries: readonly Query[] = [
    { expr: `max(${query})`, legend: `${what}, highest` },
    { expr: `quantile(0.5, ${query})`, legend: `${what}, median` },
  ];
  return lines({ ...text, noValue: NOT_SCRAPED }, ...queries);
}

function scrapeTime(of: Select): UnplacedPanel {
  return lines(
    {
      id: 17,
      title: 'Time of a scrape, 95 %',
      description: 'In which time 95 of 100 answers to scrapes were put together and compressed, by format.',
      unit: 's',
      noValue: NOT_SCRAPED,
    },
    {
      expr: `histogram_quantile(0.95, sum by (format, encoding, le) (
  rate(${of('gke_disruption_scrape_duration_seconds_bucket')}[$__rate_interval])
))`,
      legend: '{{format}} {{encoding}}',
    },
  );
}

function scrapeSize(of: Select): UnplacedPanel {
  return lines(
    {
      id: 18,
      title: 'Size of a scrape',
      description:
        'Size of the latest answer to a scrape as sent, by format; the largest among the chosen exporters.',
      unit: 'bytes',
      noValue: NOT_SCRAPED,
    },
    {
      expr: `max by (format, encoding) (${of('gke_disruption_scrape_size_bytes')})`,
      legend: '{{format}} {{encoding}}',
    },
  );
}

function memory(of: Select): UnplacedPanel {
  const text = {
    id: 19,
    title: 'Memory',
    description: 'Resident memory, and what of the heap is used.',
    unit: 'bytes',
    noValue: NOT_SCRAPED,
  };
  return lines(
    text,
    { expr: `max(${of('process_resident_memory_bytes')})`, legend: 'resident, highest' },
    { expr: `quantile(0.5, ${of('process_resident_memory_bytes')})`, legend: 'resident, median' },
    { expr: `max(${of('nodejs_heap_size_used_bytes')})`, legend: 'heap used, highest' },
  );
}

function eventLoop(of: Select): UnplacedPanel {
  return worstAndMiddle(
    {
      id: 20,
      title: 'Event loop delay, 99 %',
      description: 'How late the event loop is in 99 of 100 cases. Above a second, scrapes time out.',
      unit: 's',
    },
    'delay',
    of('nodejs_eventloop_lag_p99_seconds'),
  );
}

function processor(of: Select): UnplacedPanel {
  return worstAndMiddle(
    { id: 21, title: 'CPU', description: 'Processors that the exporter keeps busy.', unit: 'percentunit' },
    'CPU',
    `rate(${of('process_cpu_seconds_total')}[$__rate_interval])`,
  );
}

function files(of: Select): UnplacedPanel {
  return worstAndMiddle(
    {
      id: 22,
      title: 'Open files',
      description: 'Open file descriptors: connections, above all.',
      unit: 'short',
    },
    'open',
    of('process_open_fds'),
  );
}
