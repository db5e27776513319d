import type { Rule } from './finding.ts';

/** What is changed in the browser would be lost with the next provisioning. */
export const uneditableDashboard: Rule = ({ editable }) =>
  editable ? [{ where: 'dashboard', message: 'can be edited' }] : [];
