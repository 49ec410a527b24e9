/** One text for all spellings of an address or user name that count as the same. */
export const foldText = (text: string): string => text.normalize('NFKC').toLowerCase().normalize('NFKC')
