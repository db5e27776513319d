import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{exporter,simulator,alerts,dashboards,test,docs,bench}/**/*.test.ts'],
    // Two processes, a Prometheus and a TLS handshake on two cores take their time on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
