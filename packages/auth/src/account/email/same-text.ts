/** One text for all spellings of an address or user name that count as the same. */
export const sameText = (text: string): string => text.normalize('NFKC').toLowerCase().normalize('NFKC')
