/** Languages in which the package has every text; English needs no file. */
export const PACKAGE_LANGUAGES: readonly string[] = ['en', 'de', 'es', 'fr', 'zh-hans']
