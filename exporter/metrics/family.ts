/** Types of the families that we write; the same names in both text formats. */
export type FamilyType = 'counter' | 'gauge' | 'histogram';

/** `stable`: name, labels and meaning stay within a major version. `experimental`: they rest on undocumented signals. */
export type Stability = 'stable' | 'experimental';

/** One family of series, as it is declared, documented and exposed. */
export interface Family<Label extends string = string, Type extends FamilyType = FamilyType> {
  readonly type: Type;
  readonly help: string;
  readonly labels: readonly Label[];
  readonly stability: Stability;
}

/** One sample of a family, its labels complete and in the order in which they are written. */
export interface Sample {
  readonly family: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}
