/** A text of the page in the visitor's language: `key` is the English text, with ICU placeholders. */
export type Translate = (key: string, values?: Readonly<Record<string, string | number>>) => string

/**
 * LiquidJS templates under the reference's names. Project folders win over the package's, file by file. Output is
 * escaped; text templates (`.txt`) are not.
 */
export interface Templates {
  /**
   * @param name Without extension, e.g. `account/login`.
   * @throws {Error} when the template has a fault: the operator's, never a visitor's.
   */
  page(name: string, context: Readonly<Record<string, unknown>>, t: Translate): Promise<string>
  /** A `.txt` template rendered without escaping, trimmed; `null` when there is no such file. */
  text(name: string, context: Readonly<Record<string, unknown>>, t: Translate): Promise<string | null>
  /** As `page`, `null` when there is no such file (HTML mail bodies, optional pages such as `429`). */
  optionalPage(name: string, context: Readonly<Record<string, unknown>>, t: Translate): Promise<string | null>
}

/** Catalogues of the package's texts; a host may add to them. */
export interface Translations {
  /** The best of the configured languages for an `Accept-Language` header (RFC 9110 section 12.5.4), e.g. `de`. */
  negotiate(acceptLanguage: string | null): string
  translator(language: string): Translate
  /** Loads the catalogue of a language, once; `translator` needs it loaded. English needs none. */
  load(language: string): Promise<void>
}
