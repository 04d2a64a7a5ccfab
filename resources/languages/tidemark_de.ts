<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>tidemark::ui::AlignBand</name>
    <message>
        <source>What lies beside what in both runs</source>
        <translation>Was in beiden Läufen nebeneinanderliegt</translation>
    </message>
    <message>
        <source>Drag a line between the lanes</source>
        <translation>Eine Linie zwischen den Spuren ziehen</translation>
    </message>
    <message>
        <source>Set by hand what lies beside what</source>
        <translation>Von Hand festlegen, was nebeneinanderliegt</translation>
    </message>
    <message>
        <source>Alt and drag, lower run</source>
        <translation>Alt und ziehen, unterer Lauf</translation>
    </message>
    <message>
        <source>Shift the whole run</source>
        <translation>Den ganzen Lauf verschieben</translation>
    </message>
    <message>
        <source>Move the chosen line by one event, Ctrl by ten</source>
        <translation>Die gewählte Linie um ein Ereignis verschieben, mit Strg um zehn</translation>
    </message>
    <message>
        <source>Lay the runs beside each other as they were found</source>
        <translation>Die Läufe so nebeneinanderlegen, wie sie gefunden wurden</translation>
    </message>
    <message>
        <source>Above %1, below %2: the same place. Drag the lower end to where it belongs; Esc lays all of it as it was found.</source>
        <translation>Oben %1, unten %2: dieselbe Stelle. Das untere Ende dorthin ziehen, wo es hingehört; Esc legt alles so, wie es gefunden wurde.</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::AllocationDelegate</name>
    <message>
        <source>no stack recorded</source>
        <translation>kein Stack aufgezeichnet</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::AllocationGroupsModel</name>
    <message>
        <source>not known</source>
        <translation>nicht bekannt</translation>
    </message>
    <message>
        <source>%1 of the peak</source>
        <translation>%1 des Peaks</translation>
    </message>
    <message>
        <source>The lifetimes of all, added up</source>
        <translation>Die Lebensdauern aller, zusammengezählt</translation>
    </message>
    <message>
        <source>Bytes times lifetime: what was kept from others</source>
        <translation>Bytes mal Lebensdauer: was anderen vorenthalten wurde</translation>
    </message>
    <message>
        <source>Bytes that the trace both made and freed</source>
        <translation>Bytes, die im Trace sowohl angelegt als auch freigegeben wurden</translation>
    </message>
    <message>
        <source>The part of all that is live at the peak</source>
        <translation>Der Anteil an allem, was am Peak belegt ist</translation>
    </message>
    <message>
        <source>count</source>
        <translation>Anzahl</translation>
    </message>
    <message>
        <source>requested</source>
        <translation>angefordert</translation>
    </message>
    <message>
        <source>lifetimes</source>
        <translation>Lebensdauern</translation>
    </message>
    <message>
        <source>bytes × lifetime</source>
        <translation>Bytes × Lebensdauer</translation>
    </message>
    <message>
        <source>came and went</source>
        <translation>kam und ging</translation>
    </message>
    <message>
        <source>of the peak</source>
        <translation>vom Peak</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::AllocationsModel</name>
    <message>
        <source>before the trace</source>
        <translation>vor dem Trace</translation>
    </message>
    <message>
        <source>never</source>
        <translation>nie</translation>
    </message>
    <message>
        <source>No stack was recorded for this allocation.</source>
        <translation>Für diese Allokation wurde kein Stack aufgezeichnet.</translation>
    </message>
    <message>
        <source>%1
called at %2</source>
        <translation>%1
aufgerufen in %2</translation>
    </message>
    <message>
        <source>%1 of the peak</source>
        <translation>%1 des Peaks</translation>
    </message>
    <message>
        <source>requested</source>
        <translation>angefordert</translation>
    </message>
    <message>
        <source>bucket</source>
        <translation>Bucket</translation>
    </message>
    <message>
        <source>operation</source>
        <translation>Operation</translation>
    </message>
    <message>
        <source>your line</source>
        <translation>eigene Zeile</translation>
    </message>
    <message>
        <source>made at event</source>
        <translation>angelegt bei</translation>
    </message>
    <message>
        <source>freed at event</source>
        <translation>freigegeben bei</translation>
    </message>
    <message>
        <source>lifetime</source>
        <translation>Lebensdauer</translation>
    </message>
    <message>
        <source>bytes × lifetime</source>
        <translation>Bytes × Lebensdauer</translation>
    </message>
    <message>
        <source>came and went</source>
        <translation>kam und ging</translation>
    </message>
    <message>
        <source>of the peak</source>
        <translation>vom Peak</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>phase</source>
        <translation>Phase</translation>
    </message>
    <message>
        <source>size as a product</source>
        <translation>Größe als Produkt</translation>
    </message>
    <message>
        <source>place in the model</source>
        <translation>Stelle im Modell</translation>
    </message>
    <message>
        <source>confidence</source>
        <translation>Sicherheit</translation>
    </message>
    <message>
        <source>block %1</source>
        <translation>Block %1</translation>
    </message>
    <message>
        <source>block %1 to %2</source>
        <translation>Block %1 bis %2</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::AllocationsPanel</name>
    <message>
        <source>Whole run</source>
        <translation>Ganzer Lauf</translation>
    </message>
    <message>
        <source>%1: no allocation matches “%2”</source>
        <translation>%1: Keine Allokation passt zu „%2“</translation>
    </message>
    <message numerus="yes">
        <source>%1: %Ln allocation(s), %2</source>
        <translation>
            <numerusform>%1: %Ln Allokation, %2</numerusform>
            <numerusform>%1: %Ln Allokationen, %2</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: %Ln allocation(s), %2 requested, %3 of them came and went</source>
        <translation>
            <numerusform>%1: %Ln Allokation, %2 angefordert, davon kamen und gingen %3</numerusform>
            <numerusform>%1: %Ln Allokationen, %2 angefordert, davon kamen und gingen %3</numerusform>
        </translation>
    </message>
    <message>
        <source>At the cursor</source>
        <translation>Am Cursor</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Allocations</source>
        <translation>Allokationen</translation>
    </message>
    <message>
        <source>Groups of allocations</source>
        <translation>Gruppen von Allokationen</translation>
    </message>
    <message>
        <source>Stopped; the list is the one before.</source>
        <translation>Angehalten; die Liste ist die vorige.</translation>
    </message>
    <message>
        <source>Looking through the run…</source>
        <translation>Der Lauf wird durchsucht…</translation>
    </message>
    <message>
        <source>What lives at the cursor</source>
        <translation>Was am Cursor belegt ist</translation>
    </message>
    <message>
        <source>Everything that the run allocated</source>
        <translation>Alles, was der Lauf allokiert hat</translation>
    </message>
    <message>
        <source>Query of allocations</source>
        <translation>Abfrage von Allokationen</translation>
    </message>
    <message>
        <source>bucket:activation size&gt;100MiB -stack:attention, or any word</source>
        <translation>bucket:activation size&gt;100MiB -stack:attention oder ein beliebiges Wort</translation>
    </message>
    <message>
        <source>Words with spaces between, all of which are true: bucket:activation,gradient size&gt;100MiB life&lt;1ms live@peak step:3..5 stack:attention kept.
A word without a key is looked for in buckets, functions, files and modules; - or not before it turns it around. Down shows what is possible.</source>
        <translation>Wörter mit Leerzeichen dazwischen, die alle zutreffen müssen: bucket:activation,gradient size&gt;100MiB life&lt;1ms live@peak step:3..5 stack:attention kept.
Ein Wort ohne Schlüssel wird in Buckets, Funktionen, Dateien und Modulen gesucht; - oder not davor kehrt es um. Pfeil nach unten zeigt, was möglich ist.</translation>
    </message>
    <message>
        <source>How allocations are grouped</source>
        <translation>Wie Allokationen gruppiert werden</translation>
    </message>
    <message>
        <source>one by one</source>
        <translation>einzeln</translation>
    </message>
    <message>
        <source>by line</source>
        <translation>nach Zeile</translation>
    </message>
    <message>
        <source>by place in the model</source>
        <translation>nach Stelle im Modell</translation>
    </message>
    <message>
        <source>by size</source>
        <translation>nach Größe</translation>
    </message>
    <message>
        <source>by bucket</source>
        <translation>nach Bucket</translation>
    </message>
    <message>
        <source>by step</source>
        <translation>nach Schritt</translation>
    </message>
    <message>
        <source>Selected rows, tab-separated</source>
        <translation>Ausgewählte Zeilen, durch Tabulatoren getrennt</translation>
    </message>
    <message>
        <source>Selected rows as Markdown</source>
        <translation>Ausgewählte Zeilen als Markdown</translation>
    </message>
    <message>
        <source>No query finds these: nothing is known of them.</source>
        <translation>Keine Abfrage findet sie: Über sie ist nichts bekannt.</translation>
    </message>
    <message>
        <source>Nothing is selected: choose rows first, several with Shift or Ctrl.</source>
        <translation>Nichts ist ausgewählt: Zuerst Zeilen wählen, mehrere mit Umschalt oder Strg.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln row(s) copied.</source>
        <translation>
            <numerusform>%Ln Zeile kopiert.</numerusform>
            <numerusform>%Ln Zeilen kopiert.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The first %Ln row(s) copied; %1 more were selected.</source>
        <translation>
            <numerusform>Die erste Zeile kopiert; %1 weitere waren ausgewählt.</numerusform>
            <numerusform>Die ersten %Ln Zeilen kopiert; %1 weitere waren ausgewählt.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>tidemark::ui::AnalysisPage</name>
    <message>
        <source>At the cursor</source>
        <translation>Am Cursor</translation>
    </message>
    <message>
        <source>Fixes</source>
        <translation>Abhilfen</translation>
    </message>
    <message>
        <source>What if</source>
        <translation>Was wäre wenn</translation>
    </message>
    <message>
        <source>Evidence</source>
        <translation>Belege</translation>
    </message>
    <message>
        <source>Allocations</source>
        <translation>Allokationen</translation>
    </message>
    <message>
        <source>Memory map</source>
        <translation>Speicherlayout</translation>
    </message>
    <message>
        <source>Stacks</source>
        <translation>Stacks</translation>
    </message>
    <message>
        <source>Stack</source>
        <translation>Stack</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>Ereignisse</translation>
    </message>
    <message>
        <source>Buckets</source>
        <translation>Buckets</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Range</source>
        <translation>Bereich</translation>
    </message>
    <message>
        <source>Simulate</source>
        <translation>Simulation</translation>
    </message>
    <message>
        <source>Corrections</source>
        <translation>Korrekturen</translation>
    </message>
    <message>
        <source>Bookmarks</source>
        <translation>Lesezeichen</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Drag to move this panel, double click to tear it off or put it back</source>
        <translation>Ziehen verschiebt dieses Feld, ein Doppelklick löst es ab oder setzt es zurück</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::AnswerStrip</name>
    <message>
        <source>What if…</source>
        <translation>Was wäre wenn…</translation>
    </message>
    <message>
        <source>Its curve over the timeline, the budget before and after, and further changes with it</source>
        <translation>Ihre Kurve über der Zeitleiste, das Budget davor und danach und weitere Änderungen dazu</translation>
    </message>
    <message>
        <source>The answer</source>
        <translation>Die Antwort</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::ArrivalStrip</name>
    <message>
        <source>How much of the file has come</source>
        <translation>Wie viel von der Datei angekommen ist</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::BookmarkActions</name>
    <message>
        <source>Book&amp;mark the Cursor…</source>
        <translation>&amp;Lesezeichen am Cursor setzen…</translation>
    </message>
    <message>
        <source>The snapshot&apos;s folder cannot be written to, so the bookmarks are kept in %1.</source>
        <translation>In den Ordner des Snapshots kann nicht geschrieben werden; die Lesezeichen liegen deshalb in %1.</translation>
    </message>
    <message>
        <source>Another window saved bookmarks of this snapshot meanwhile; the list now holds those of both.</source>
        <translation>Ein anderes Fenster hat inzwischen Lesezeichen zu diesem Snapshot gespeichert; die Liste enthält jetzt die von beiden.</translation>
    </message>
    <message>
        <source>Bookmark</source>
        <translation>Lesezeichen</translation>
    </message>
    <message>
        <source>A note on %1 (may be empty):</source>
        <translation>Notiz zu %1 (kann leer bleiben):</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::BookmarksPanel</name>
    <message>
        <source>Moment</source>
        <translation>Moment</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Active</source>
        <translation>Aktiv</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>No moment is marked. B marks the one at the cursor, with a note; bookmarks are kept beside the snapshot and stand in the report.</source>
        <translation>Kein Moment ist markiert. B markiert den am Cursor, mit einer Notiz; Lesezeichen liegen neben dem Snapshot und stehen im Bericht.</translation>
    </message>
    <message>
        <source>A click goes there. They are kept beside the snapshot and stand in the report.</source>
        <translation>Ein Klick springt dorthin. Sie liegen neben dem Snapshot und stehen im Bericht.</translation>
    </message>
    <message>
        <source>Mark the cursor…</source>
        <translation>Cursor markieren…</translation>
    </message>
    <message>
        <source>Edit the note…</source>
        <translation>Notiz bearbeiten…</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Bookmarks</source>
        <translation>Lesezeichen</translation>
    </message>
    <message>
        <source>Remove the chosen bookmark</source>
        <translation>Das gewählte Lesezeichen entfernen</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::BucketFlowModel</name>
    <message>
        <source>Total</source>
        <translation>Summe</translation>
    </message>
    <message>
        <source>bucket</source>
        <translation>Bucket</translation>
    </message>
    <message>
        <source>allocated</source>
        <translation>allokiert</translation>
    </message>
    <message>
        <source>freed</source>
        <translation>freigegeben</translation>
    </message>
    <message>
        <source>net</source>
        <translation>netto</translation>
    </message>
    <message>
        <source>count</source>
        <translation>Anzahl</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::BucketTableModel</name>
    <message>
        <source>Total</source>
        <translation>Summe</translation>
    </message>
    <message>
        <source>Free in private pools</source>
        <translation>Frei in privaten Pools</translation>
    </message>
    <message>
        <source>Cached</source>
        <translation>Im Cache</translation>
    </message>
    <message>
        <source>Reserved</source>
        <translation>Reserviert</translation>
    </message>
    <message>
        <source>Requested bytes of all live allocations.</source>
        <translation>Angeforderte Bytes aller belegten Allokationen.</translation>
    </message>
    <message>
        <source>Free inside CUDA graph and other private pools; nothing outside them can use it.</source>
        <translation>Frei in Pools von CUDA-Graphen und anderen privaten Pools; außerhalb davon nicht nutzbar.</translation>
    </message>
    <message>
        <source>Held by PyTorch beyond what is requested: free blocks and rounding.</source>
        <translation>Von PyTorch über das Angeforderte hinaus gehalten: freie Blöcke und Rundung.</translation>
    </message>
    <message>
        <source>The sum of all segments PyTorch has from the driver.</source>
        <translation>Die Summe aller Segmente, die PyTorch vom Treiber hat.</translation>
    </message>
    <message>
        <source>bucket</source>
        <translation>Bucket</translation>
    </message>
    <message>
        <source>share</source>
        <translation>Anteil</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::BucketsPanel</name>
    <message>
        <source>Bytes by bucket</source>
        <translation>Bytes je Bucket</translation>
    </message>
    <message>
        <source>peak, %1</source>
        <translation>Peak, %1</translation>
    </message>
    <message>
        <source>before the OOM, %1</source>
        <translation>vor dem OOM, %1</translation>
    </message>
    <message>
        <source>cursor, %1</source>
        <translation>Cursor, %1</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::BudgetModel</name>
    <message>
        <source>Failed request</source>
        <translation>Gescheiterte Anforderung</translation>
    </message>
    <message>
        <source>Still to come</source>
        <translation>Folgt noch</translation>
    </message>
    <message>
        <source>Cached and rounding</source>
        <translation>Cache und Rundung</translation>
    </message>
    <message>
        <source>Needed in all</source>
        <translation>Insgesamt nötig</translation>
    </message>
    <message>
        <source>The request that the card could not serve.</source>
        <translation>Die Anforderung, die die Karte nicht erfüllen konnte.</translation>
    </message>
    <message>
        <source>What the run needs later and the file shows: the rest of a pass, gradients and optimizer state not made yet, a larger moment of a step.</source>
        <translation>Was der Lauf laut Datei später noch braucht: der Rest eines Durchlaufs, noch nicht angelegte Gradienten und Optimizer-Zustände, ein größerer Moment eines Schritts.</translation>
    </message>
    <message>
        <source>What the allocator keeps beside the live bytes: free blocks between them and rounding. After a change this is an estimate.</source>
        <translation>Was der Allocator neben den belegten Bytes hält: freie Blöcke dazwischen und Rundung. Nach einer Änderung ist das eine Schätzung.</translation>
    </message>
    <message>
        <source>The sum of all lines above: what the process must get of the card.</source>
        <translation>Die Summe aller Zeilen darüber: was der Prozess von der Karte bekommen muss.</translation>
    </message>
    <message>
        <source>Capacity</source>
        <translation>Kapazität</translation>
    </message>
    <message>
        <source>Spare, best estimate</source>
        <translation>Spielraum, beste Schätzung</translation>
    </message>
    <message>
        <source>budget</source>
        <translation>Budget</translation>
    </message>
    <message>
        <source>before</source>
        <translation>davor</translation>
    </message>
    <message>
        <source>after</source>
        <translation>danach</translation>
    </message>
    <message>
        <source>change</source>
        <translation>Änderung</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::CapacityField</name>
    <message>
        <source>Memory that this process can get</source>
        <translation>Speicher, den dieser Prozess bekommen kann</translation>
    </message>
    <message>
        <source>No file is open.</source>
        <translation>Keine Datei ist geöffnet.</translation>
    </message>
    <message>
        <source>capacity %1</source>
        <translation>Kapazität %1</translation>
    </message>
    <message>
        <source>capacity?</source>
        <translation>Kapazität?</translation>
    </message>
    <message>
        <source>How much memory this process could get. %1
Type an amount (24, 80 GB) or a card&apos;s name (H100 80GB); leave it empty for what the file tells.</source>
        <translation>Wie viel Speicher dieser Prozess bekommen konnte. %1
Eine Menge (24, 80 GB) oder den Namen einer Karte (H100 80GB) eingeben; leer gilt, was die Datei sagt.</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::CauseTitle</name>
    <message>
        <source>Nothing ran out</source>
        <translation>Nichts ging aus</translation>
    </message>
    <message>
        <source>Weights, gradients and optimizer state alone do not fit</source>
        <translation>Schon Gewichte, Gradienten und Optimizer-Zustand passen nicht</translation>
    </message>
    <message>
        <source>The optimizer&apos;s state takes the last of the card</source>
        <translation>Der Optimizer-Zustand nimmt den Rest der Karte</translation>
    </message>
    <message>
        <source>Gradients take the last of the card</source>
        <translation>Gradienten nehmen den Rest der Karte</translation>
    </message>
    <message>
        <source>Activations fill the card</source>
        <translation>Aktivierungen füllen die Karte</translation>
    </message>
    <message>
        <source>Matrices that grow with the square of the sequence</source>
        <translation>Matrizen, die mit dem Quadrat der Sequenz wachsen</translation>
    </message>
    <message>
        <source>Logits over the whole vocabulary</source>
        <translation>Logits über das ganze Vokabular</translation>
    </message>
    <message>
        <source>One tensor that is far too large</source>
        <translation>Ein einzelner, viel zu großer Tensor</translation>
    </message>
    <message>
        <source>This batch is larger than those before it</source>
        <translation>Dieser Batch ist größer als die davor</translation>
    </message>
    <message>
        <source>Evaluation keeps its results on the card</source>
        <translation>Die Evaluierung behält ihre Ergebnisse auf der Karte</translation>
    </message>
    <message>
        <source>The evaluation batch is too large</source>
        <translation>Der Evaluierungs-Batch ist zu groß</translation>
    </message>
    <message>
        <source>The key-value cache fills the card</source>
        <translation>Der KV-Cache füllt die Karte</translation>
    </message>
    <message>
        <source>Memory grows from step to step</source>
        <translation>Der Speicher wächst von Schritt zu Schritt</translation>
    </message>
    <message>
        <source>Enough bytes are free, but in no single hole</source>
        <translation>Genug Bytes sind frei, aber in keiner einzelnen Lücke</translation>
    </message>
    <message>
        <source>Workspaces of compilation or autotuning</source>
        <translation>Workspaces von Kompilierung oder Autotuning</translation>
    </message>
    <message>
        <source>It ran out before the first step, while loading</source>
        <translation>Der Speicher ging schon vor dem ersten Schritt aus, beim Laden</translation>
    </message>
    <message>
        <source>Another process holds part of the card</source>
        <translation>Ein anderer Prozess belegt einen Teil der Karte</translation>
    </message>
    <message>
        <source>Several ranks share one card</source>
        <translation>Mehrere Ranks teilen sich eine Karte</translation>
    </message>
    <message>
        <source>Memory outside of PyTorch&apos;s allocator</source>
        <translation>Speicher außerhalb von PyTorchs Allocator</translation>
    </message>
    <message>
        <source>Free memory is locked in private pools</source>
        <translation>Freier Speicher ist in privaten Pools gebunden</translation>
    </message>
    <message>
        <source>An allocator setting gets in the way</source>
        <translation>Eine Allocator-Einstellung ist im Weg</translation>
    </message>
    <message>
        <source>The process is limited to a fraction of the card</source>
        <translation>Der Prozess ist auf einen Teil der Karte begrenzt</translation>
    </message>
    <message>
        <source>Reserved addresses without pages behind them</source>
        <translation>Reservierte Adressen ohne Speicherseiten dahinter</translation>
    </message>
    <message>
        <source>Host memory ran out, not the card&apos;s</source>
        <translation>Der Host-Speicher ging aus, nicht der der Karte</translation>
    </message>
    <message>
        <source>Not a matter of GPU memory</source>
        <translation>Keine Frage des GPU-Speichers</translation>
    </message>
    <message>
        <source>The file does not show the cause</source>
        <translation>Die Datei zeigt die Ursache nicht</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::ChoiceControl</name>
    <message>
        <source>as recorded</source>
        <translation>wie aufgezeichnet</translation>
    </message>
    <message>
        <source>This would alter nothing in this run.</source>
        <translation>In diesem Lauf würde das nichts ändern.</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::CompareAnswer</name>
    <message>
        <source>Swap base and comparison (X); each file keeps its letter</source>
        <translation>Basis und Vergleich tauschen (X); jede Datei behält ihren Buchstaben</translation>
    </message>
    <message>
        <source>Swap base and comparison</source>
        <translation>Basis und Vergleich tauschen</translation>
    </message>
    <message>
        <source>Base</source>
        <translation>Basis</translation>
    </message>
    <message>
        <source>Held against it</source>
        <translation>Damit verglichen</translation>
    </message>
    <message>
        <source>base</source>
        <translation>Basis</translation>
    </message>
    <message>
        <source>against</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Mind: %1</source>
        <translation>Zu beachten: %1</translation>
    </message>
    <message numerus="yes">
        <source>%Ln warning(s)</source>
        <translation>
            <numerusform>%Ln Warnung</numerusform>
            <numerusform>%Ln Warnungen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>(%Ln more)</source>
        <translation>
            <numerusform>(%Ln weitere)</numerusform>
            <numerusform>(%Ln weitere)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>tidemark::ui::CompareCursor</name>
    <message>
        <source>Bytes per bucket in both runs</source>
        <translation>Bytes je Bucket in beiden Läufen</translation>
    </message>
    <message>
        <source>Frames of both runs at the chosen place</source>
        <translation>Frames beider Läufe an der gewählten Stelle</translation>
    </message>
    <message>
        <source>The chosen place</source>
        <translation>Die gewählte Stelle</translation>
    </message>
    <message>
        <source>Where %1 is made</source>
        <translation>Wo %1 angelegt wird</translation>
    </message>
    <message>
        <source>No stack was recorded for the chosen place.</source>
        <translation>Für die gewählte Stelle wurde kein Stack aufgezeichnet.</translation>
    </message>
    <message>
        <source>Choose a row below to see where both runs make it.</source>
        <translation>Unten eine Zeile wählen, um zu sehen, wo beide Läufe sie anlegen.</translation>
    </message>
    <message>
        <source>At the cursor</source>
        <translation>Am Cursor</translation>
    </message>
    <message>
        <source>At %1</source>
        <translation>Bei %1</translation>
    </message>
    <message>
        <source>no counterpart</source>
        <translation>ohne Gegenstück</translation>
    </message>
    <message>
        <source>matched</source>
        <translation>zugeordnet</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::ComparePage</name>
    <message>
        <source>comparing…</source>
        <translation>wird verglichen…</translation>
    </message>
    <message>
        <source>Runs &amp;Below Each Other</source>
        <translation>Läufe &amp;untereinander</translation>
    </message>
    <message>
        <source>Runs Be&amp;side Each Other</source>
        <translation>Läufe &amp;nebeneinander</translation>
    </message>
    <message>
        <source>&amp;Overlay: One as an Outline</source>
        <translation>Über&amp;lagert: einer als Umriss</translation>
    </message>
    <message>
        <source>The &amp;Difference Alone</source>
        <translation>Nur die &amp;Differenz</translation>
    </message>
    <message>
        <source>&amp;Blink: the Other Run in Its Place (Space)</source>
        <translation>&amp;Blinken: der andere Lauf an seiner Stelle (Leertaste)</translation>
    </message>
    <message>
        <source>One Sca&amp;le of Bytes for Both</source>
        <translation>&amp;Eine Byte-Skala für beide</translation>
    </message>
    <message>
        <source>S&amp;wap Base and Comparison</source>
        <translation>Basis und Vergleich &amp;tauschen</translation>
    </message>
    <message>
        <source>&amp;Next Largest Difference</source>
        <translation>Nä&amp;chstgrößte Differenz</translation>
    </message>
    <message>
        <source>&amp;Previous Difference</source>
        <translation>&amp;Vorige Differenz</translation>
    </message>
    <message>
        <source>&amp;Keep the Chosen Place on Top, or Let It Go</source>
        <translation>&amp;Gewählte Stelle oben halten oder lösen</translation>
    </message>
    <message>
        <source>Lay the Runs Beside Each Other as &amp;Found</source>
        <translation>Läufe wie ge&amp;funden nebeneinanderlegen</translation>
    </message>
    <message>
        <source>&amp;All Runs at Once</source>
        <translation>&amp;Alle Läufe auf einmal</translation>
    </message>
    <message>
        <source>Save This Pair as a &amp;Case…</source>
        <translation>Dieses &amp;Paar als Fall speichern…</translation>
    </message>
    <message>
        <source>waiting until both files are read…</source>
        <translation>wartet, bis beide Dateien gelesen sind…</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::CompareStacks</name>
    <message>
        <source>callers first</source>
        <translation>Aufrufer zuerst</translation>
    </message>
    <message>
        <source>allocating calls first</source>
        <translation>allokierende Aufrufe zuerst</translation>
    </message>
    <message>
        <source>library frames</source>
        <translation>Bibliotheks-Frames</translation>
    </message>
    <message>
        <source>Find a function, file or package</source>
        <translation>Funktion, Datei oder Paket suchen</translation>
    </message>
    <message>
        <source>Calls of both runs by the bytes that they allocated</source>
        <translation>Aufrufe beider Läufe nach den Bytes, die sie allokiert haben</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>gleich</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::CompareTables</name>
    <message>
        <source>Differences</source>
        <translation>Unterschiede</translation>
    </message>
    <message>
        <source>Explained</source>
        <translation>Erklärung</translation>
    </message>
    <message>
        <source>Stacks</source>
        <translation>Stacks</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Fixes</source>
        <translation>Abhilfen</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Allocator</source>
        <translation>Allocator</translation>
    </message>
    <message>
        <source>All runs</source>
        <translation>Alle Läufe</translation>
    </message>
    <message>
        <source>compared at</source>
        <translation>verglichen bei</translation>
    </message>
    <message>
        <source>What is held against each other</source>
        <translation>Was miteinander verglichen wird</translation>
    </message>
    <message>
        <source>Nothing is predicted: the runs do not differ by changes that can be.</source>
        <translation>Nichts wird vorhergesagt: Die Läufe unterscheiden sich durch keine vorhersagbare Änderung.</translation>
    </message>
    <message>
        <source>all that differs</source>
        <translation>alles Verschiedene</translation>
    </message>
    <message>
        <source>only in the base</source>
        <translation>nur in der Basis</translation>
    </message>
    <message>
        <source>only in the other</source>
        <translation>nur im anderen</translation>
    </message>
    <message>
        <source>grew</source>
        <translation>gewachsen</translation>
    </message>
    <message>
        <source>shrank</source>
        <translation>geschrumpft</translation>
    </message>
    <message>
        <source>moved phase</source>
        <translation>andere Phase</translation>
    </message>
    <message>
        <source>relabelled</source>
        <translation>anderes Label</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>the peaks</source>
        <translation>den Peaks</translation>
    </message>
    <message>
        <source>%1&apos;s peak, same place in %2</source>
        <translation>Peak von %1, gleiche Stelle in %2</translation>
    </message>
    <message>
        <source>the largest of %1</source>
        <translation>dem Größten im %1</translation>
    </message>
    <message>
        <source>the cursor</source>
        <translation>dem Cursor</translation>
    </message>
    <message>
        <source>the start</source>
        <translation>dem Anfang</translation>
    </message>
    <message>
        <source>the end</source>
        <translation>dem Ende</translation>
    </message>
    <message>
        <source>only in %1</source>
        <translation>nur in %1</translation>
    </message>
    <message>
        <source>Nothing of this kind is alive at these moments.</source>
        <translation>In diesen Momenten ist nichts davon belegt.</translation>
    </message>
    <message>
        <source>bucket</source>
        <translation>Bucket</translation>
    </message>
    <message>
        <source>Prediction</source>
        <translation>Vorhersage</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::Comparison</name>
    <message>
        <source>bucket</source>
        <translation>Bucket</translation>
    </message>
    <message>
        <source>module</source>
        <translation>Modul</translation>
    </message>
    <message>
        <source>change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>in no module</source>
        <translation>in keinem Modul</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>phase</source>
        <translation>Phase</translation>
    </message>
    <message>
        <source>before the first</source>
        <translation>vor dem ersten</translation>
    </message>
    <message>
        <source>only in %1</source>
        <translation>nur in %1</translation>
    </message>
    <message>
        <source>%1: status</source>
        <translation>%1: Status</translation>
    </message>
    <message>
        <source>%1: needs then</source>
        <translation>%1: braucht dann</translation>
    </message>
    <message>
        <source>predicted</source>
        <translation>vorhergesagt</translation>
    </message>
    <message>
        <source>measured, %1</source>
        <translation>gemessen, %1</translation>
    </message>
    <message>
        <source>miss</source>
        <translation>Abweichung</translation>
    </message>
    <message>
        <source>Peak</source>
        <translation>Peak</translation>
    </message>
    <message>
        <source>run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>peak</source>
        <translation>Peak</translation>
    </message>
    <message>
        <source>against the first</source>
        <translation>gegen den ersten</translation>
    </message>
    <message>
        <source>largest bucket there</source>
        <translation>größter Bucket dort</translation>
    </message>
    <message>
        <source>reserved at most</source>
        <translation>höchstens reserviert</translation>
    </message>
    <message>
        <source>no stack recorded</source>
        <translation>kein Stack aufgezeichnet</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>lifetime</source>
        <translation>Lebensdauer</translation>
    </message>
    <message>
        <source>count</source>
        <translation>Anzahl</translation>
    </message>
    <message>
        <source>was %1</source>
        <translation>war %1</translation>
    </message>
    <message>
        <source>unexplained</source>
        <translation>unerklärt</translation>
    </message>
    <message>
        <source>%1&apos;s own peak lies elsewhere and is higher by</source>
        <translation>Der eigene Peak von %1 liegt woanders und ist höher um</translation>
    </message>
    <message>
        <source>other moment</source>
        <translation>anderer Moment</translation>
    </message>
    <message>
        <source>%1 in all, %2</source>
        <translation>%1 insgesamt, %2</translation>
    </message>
    <message numerus="yes">
        <source>%Ln place(s) are equal</source>
        <translation>
            <numerusform>%Ln Stelle ist gleich</numerusform>
            <numerusform>%Ln Stellen sind gleich</numerusform>
        </translation>
    </message>
    <message>
        <source>Total</source>
        <translation>Summe</translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <translation>%1 in %2</translation>
    </message>
    <message>
        <source>place</source>
        <translation>Stelle</translation>
    </message>
    <message>
        <source>operation</source>
        <translation>Operation</translation>
    </message>
    <message>
        <source>what · why</source>
        <translation>was · warum</translation>
    </message>
    <message>
        <source>These together</source>
        <translation>Diese zusammen</translation>
    </message>
    <message>
        <source>explains</source>
        <translation>erklärt</translation>
    </message>
    <message>
        <source>share</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>seen by</source>
        <translation>erkannt an</translation>
    </message>
    <message>
        <source>setting</source>
        <translation>Einstellung</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>nicht bekannt</translation>
    </message>
    <message>
        <source>allocator</source>
        <translation>Allocator</translation>
    </message>
    <message>
        <source>reserved at the peak</source>
        <translation>am Peak reserviert</translation>
    </message>
    <message>
        <source>cached there</source>
        <translation>dort im Cache</translation>
    </message>
    <message>
        <source>largest hole there</source>
        <translation>größte Lücke dort</translation>
    </message>
    <message>
        <source>segments there</source>
        <translation>Segmente dort</translation>
    </message>
    <message>
        <source>segments obtained in the trace</source>
        <translation>im Trace geholte Segmente</translation>
    </message>
    <message>
        <source>segments given back</source>
        <translation>zurückgegebene Segmente</translation>
    </message>
    <message>
        <source>out of memory</source>
        <translation>Out of Memory</translation>
    </message>
    <message>
        <source>Reserved</source>
        <translation>Reserviert</translation>
    </message>
    <message>
        <source>innermost call first</source>
        <translation>innerster Aufruf zuerst</translation>
    </message>
    <message numerus="yes">
        <source>× %Ln block(s)</source>
        <translation>
            <numerusform>× %Ln Block</numerusform>
            <numerusform>× %Ln Blöcke</numerusform>
        </translation>
    </message>
    <message>
        <source>Predicted from %1 with %2, beside what %3 measured.</source>
        <translation>Vorhergesagt aus %1 mit %2, neben dem, was %3 gemessen hat.</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::ConfigFile</name>
    <message>
        <source>This is a folder, a pipe or a device; drop a file instead.</source>
        <translation>Das ist ein Ordner, eine Pipe oder ein Gerät; stattdessen eine Datei ablegen.</translation>
    </message>
    <message>
        <source>The file cannot be read: %1.</source>
        <translation>Die Datei kann nicht gelesen werden: %1.</translation>
    </message>
    <message>
        <source>The file is too large for a configuration; drop the one that starts the run.</source>
        <translation>Die Datei ist zu groß für eine Konfiguration; die Datei ablegen, die den Lauf startet.</translation>
    </message>
    <message>
        <source>Already on: %1.</source>
        <translation>Schon an: %1.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln setting(s) have no meaning here.</source>
        <translation>
            <numerusform>%Ln Einstellung hat hier keine Bedeutung.</numerusform>
            <numerusform>%Ln Einstellungen haben hier keine Bedeutung.</numerusform>
        </translation>
    </message>
    <message>
        <source>Understood (%1):</source>
        <translation>Verstanden (%1):</translation>
    </message>
    <message>
        <source>Without a meaning here:</source>
        <translation>Hier ohne Bedeutung:</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::ConfigStrip</name>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Diagnose without the configuration</source>
        <translation>Ohne die Konfiguration diagnostizieren</translation>
    </message>
    <message>
        <source>%1 is used for the snapshot that you open next.</source>
        <translation>%1 gilt für den Snapshot, der als nächster geöffnet wird.</translation>
    </message>
    <message>
        <source>%1 is diagnosed again, with %2.</source>
        <translation>%1 wird mit %2 neu diagnostiziert.</translation>
    </message>
    <message>
        <source>The run&apos;s configuration</source>
        <translation>Die Konfiguration des Laufs</translation>
    </message>
    <message>
        <source>Configurations (*.json *.yaml *.yml *.toml *.ini *.cfg *.conf *.sh *.bash *.slurm *.sbatch *.args *.txt);;All files (*)</source>
        <translation>Konfigurationen (*.json *.yaml *.yml *.toml *.ini *.cfg *.conf *.sh *.bash *.slurm *.sbatch *.args *.txt);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Configuration of the next snapshot, %1:</source>
        <translation>Konfiguration des nächsten Snapshots, %1:</translation>
    </message>
    <message>
        <source>Configuration of the run, %1:</source>
        <translation>Konfiguration des Laufs, %1:</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::CorrectionsModel</name>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>Is</source>
        <translation>Ist</translation>
    </message>
    <message>
        <source>Allocations</source>
        <translation>Allokationen</translation>
    </message>
    <message>
        <source>Bytes in all</source>
        <translation>Bytes insgesamt</translation>
    </message>
    <message>
        <source>At the peak</source>
        <translation>Am Peak</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Warum</translation>
    </message>
    <message>
        <source>No matching allocations in this file.</source>
        <translation>Keine passenden Allokationen in dieser Datei.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln allocation(s), %1 in all, %2 at the peak</source>
        <translation>
            <numerusform>%Ln Allokation, %1 insgesamt, %2 am Peak</numerusform>
            <numerusform>%Ln Allokationen, %1 insgesamt, %2 am Peak</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>tidemark::ui::CorrectionsPanel</name>
    <message>
        <source>Edit…</source>
        <translation>Bearbeiten…</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation>Früher</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>Später</translation>
    </message>
    <message>
        <source>Load rules…</source>
        <translation>Regeln laden…</translation>
    </message>
    <message>
        <source>Save rules as…</source>
        <translation>Regeln speichern unter…</translation>
    </message>
    <message>
        <source>Corrections</source>
        <translation>Korrekturen</translation>
    </message>
    <message>
        <source>Apply it earlier, so that others can win over it (Alt+Up)</source>
        <translation>Früher anwenden, sodass andere Vorrang haben (Alt+Pfeil nach oben)</translation>
    </message>
    <message>
        <source>Apply it later, so that it wins over others (Alt+Down)</source>
        <translation>Später anwenden, sodass sie Vorrang vor anderen hat (Alt+Pfeil nach unten)</translation>
    </message>
    <message>
        <source>Remove the chosen corrections</source>
        <translation>Die gewählten Korrekturen entfernen</translation>
    </message>
    <message>
        <source>Move the chosen corrections up</source>
        <translation>Die gewählten Korrekturen nach oben schieben</translation>
    </message>
    <message>
        <source>Move the chosen corrections down</source>
        <translation>Die gewählten Korrekturen nach unten schieben</translation>
    </message>
    <message>
        <source>Nothing is corrected. Where a label is wrong, select an allocation and press L, or click it with the right button; what you say holds at once, is kept beside the snapshot and appears in the report.</source>
        <translation>Nichts ist korrigiert. Ist ein Label falsch: eine Allokation auswählen und L drücken oder sie mit der rechten Maustaste anklicken. Die Angabe gilt sofort, wird neben dem Snapshot gespeichert und steht im Bericht.</translation>
    </message>
    <message>
        <source>What a person has corrected. Later ones win; drag them into another order.</source>
        <translation>Von Hand Korrigiertes. Spätere haben Vorrang; Ziehen ändert die Reihenfolge.</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::Corrector</name>
    <message>
        <source>Edit Correction</source>
        <translation>Korrektur bearbeiten</translation>
    </message>
    <message>
        <source>Remove Correction</source>
        <translation>Korrektur entfernen</translation>
    </message>
    <message>
        <source>Move Correction</source>
        <translation>Korrektur verschieben</translation>
    </message>
    <message>
        <source>The file is still being read; labels can be corrected as soon as that is done.</source>
        <translation>Die Datei wird noch gelesen; danach lassen sich Labels korrigieren.</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::CursorPanel</name>
    <message>
        <source>At the dump</source>
        <translation>Beim Dump</translation>
    </message>
    <message>
        <source>At the start</source>
        <translation>Am Anfang</translation>
    </message>
    <message>
        <source>At event %1</source>
        <translation>Bei Ereignis %1</translation>
    </message>
    <message>
        <source>step %1 · %2</source>
        <translation>Schritt %1 · %2</translation>
    </message>
    <message>
        <source>Largest alive</source>
        <translation>Größte Allokationen</translation>
    </message>
    <message>
        <source>Largest allocations alive</source>
        <translation>Größte Allokationen</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::DeltaLane</name>
    <message>
        <source>Difference of both runs over the axis, stacked by bucket</source>
        <translation>Differenz beider Läufe über der Achse, gestapelt nach Bucket</translation>
    </message>
    <message>
        <source>Only one of the runs is here: there is nothing to compare.</source>
        <translation>Nur einer der Läufe ist hier: Es gibt nichts zu vergleichen.</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::DesktopNotice</name>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::DevicesModel</name>
    <message>
        <source>device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>events</source>
        <translation>Ereignisse</translation>
    </message>
    <message>
        <source>peak</source>
        <translation>Peak</translation>
    </message>
    <message>
        <source>reserved</source>
        <translation>reserviert</translation>
    </message>
    <message>
        <source>OOM events</source>
        <translation>OOM-Ereignisse</translation>
    </message>
    <message>
        <source>allocations</source>
        <translation>Allokationen</translation>
    </message>
    <message>
        <source>%1, empty</source>
        <translation>%1, leer</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::DifferenceIcicle</name>
    <message>
        <source>Everything</source>
        <translation>Alles</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>%1: nothing</source>
        <translation>%1: nichts</translation>
    </message>
    <message numerus="yes">
        <source>%1: %2 (%3), in %Ln allocation(s)</source>
        <translation>
            <numerusform>%1: %2 (%3), in %Ln Allokation</numerusform>
            <numerusform>%1: %2 (%3), in %Ln Allokationen</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>tidemark::ui::DimensionActions</name>
    <message>
        <source>Correct %1 to %2</source>
        <translation>%1 auf %2 korrigieren</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::DimensionDialog</name>
    <message>
        <source>Correct a dimension</source>
        <translation>Eine Dimension korrigieren</translation>
    </message>
    <message>
        <source>optional</source>
        <translation>optional</translation>
    </message>
    <message>
        <source>&amp;Dimension</source>
        <translation>&amp;Dimension</translation>
    </message>
    <message>
        <source>&amp;Is</source>
        <translation>&amp;Ist</translation>
    </message>
    <message>
        <source>&amp;Why</source>
        <translation>&amp;Warum</translation>
    </message>
    <message>
        <source>The sizes do not show it.</source>
        <translation>Die Größen zeigen sie nicht.</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::DimensionLine</name>
    <message>
        <source>Correct…</source>
        <translation>Korrigieren…</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>Say what a dimension is; everything follows from it</source>
        <translation>Angeben, wie groß eine Dimension ist; alles andere folgt daraus</translation>
    </message>
    <message>
        <source>Take back what was said of the dimensions of this device</source>
        <translation>Die Angaben zu den Dimensionen dieses Geräts zurücknehmen</translation>
    </message>
    <message>
        <source>Double-click to correct it.</source>
        <translation>Ein Doppelklick korrigiert sie.</translation>
    </message>
    <message>
        <source>Correct %1…</source>
        <translation>%1 korrigieren…</translation>
    </message>
    <message>
        <source>%1…</source>
        <translation>%1…</translation>
    </message>
    <message>
        <source>%1 Is %2, Which Fits Nearly as Well</source>
        <translation>%1 ist %2, was fast ebenso gut passt</translation>
    </message>
    <message>
        <source>Reset %1 to What the Sizes Show</source>
        <translation>%1 auf das zurücksetzen, was die Größen zeigen</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::EventsModel</name>
    <message>
        <source>%1, attached: %2</source>
        <translation>%1, angehängt: %2</translation>
    </message>
    <message>
        <source>free %1</source>
        <translation>frei %1</translation>
    </message>
    <message>
        <source>event</source>
        <translation>Ereignis</translation>
    </message>
    <message>
        <source>time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>action</source>
        <translation>Aktion</translation>
    </message>
    <message>
        <source>size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>active</source>
        <translation>aktiv</translation>
    </message>
    <message>
        <source>reserved</source>
        <translation>reserviert</translation>
    </message>
    <message>
        <source>address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>stream</source>
        <translation>Stream</translation>
    </message>
    <message>
        <source>bucket</source>
        <translation>Bucket</translation>
    </message>
    <message>
        <source>your line</source>
        <translation>eigene Zeile</translation>
    </message>
    <message>
        <source>Active bytes after the event</source>
        <translation>Aktive Bytes nach dem Ereignis</translation>
    </message>
    <message>
        <source>Reserved bytes after the event</source>
        <translation>Reservierte Bytes nach dem Ereignis</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::EventsPanel</name>
    <message>
        <source>The events of the trace</source>
        <translation>Die Ereignisse des Trace</translation>
    </message>
    <message>
        <source>Find events</source>
        <translation>Ereignisse suchen</translation>
    </message>
    <message>
        <source>Find an action, bucket, line or address</source>
        <translation>Aktion, Bucket, Zeile oder Adresse suchen</translation>
    </message>
    <message>
        <source>Previous</source>
        <translation>Vorige</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Nächste</translation>
    </message>
    <message>
        <source>The file holds no history, so there are no events.</source>
        <translation>Die Datei enthält keinen Verlauf, also gibt es keine Ereignisse.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln event(s)</source>
        <translation>
            <numerusform>%Ln Ereignis</numerusform>
            <numerusform>%Ln Ereignisse</numerusform>
        </translation>
    </message>
    <message>
        <source>No later event has “%1”.</source>
        <translation>Kein späteres Ereignis enthält „%1“.</translation>
    </message>
    <message>
        <source>No earlier event has “%1”.</source>
        <translation>Kein früheres Ereignis enthält „%1“.</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::EvidencePanel</name>
    <message>
        <source>The &amp;message of the error, if you have it</source>
        <translation>Die Fehler&amp;meldung, falls vorhanden</translation>
    </message>
    <message>
        <source>CUDA out of memory. Tried to allocate …</source>
        <translation>CUDA out of memory. Tried to allocate …</translation>
    </message>
    <message>
        <source>Diagnose again</source>
        <translation>Neu diagnostizieren</translation>
    </message>
    <message>
        <source>Capacity: %1</source>
        <translation>Kapazität: %1</translation>
    </message>
    <message>
        <source>score %1</source>
        <translation>Wert %1</translation>
    </message>
    <message>
        <source>To be surer: %1</source>
        <translation>Um sicherer zu sein: %1</translation>
    </message>
    <message>
        <source>Also seen</source>
        <translation>Außerdem gesehen</translation>
    </message>
    <message>
        <source>confidence %1, score %2</source>
        <translation>Sicherheit %1, Wert %2</translation>
    </message>
    <message>
        <source>Set the cursor there</source>
        <translation>Den Cursor dorthin setzen</translation>
    </message>
    <message>
        <source>map</source>
        <translation>Layout</translation>
    </message>
    <message>
        <source>Show the segments and blocks at that moment</source>
        <translation>Segmente und Blöcke in diesem Moment zeigen</translation>
    </message>
    <message>
        <source>stack</source>
        <translation>Stack</translation>
    </message>
    <message>
        <source>Show the stack</source>
        <translation>Den Stack zeigen</translation>
    </message>
    <message>
        <source>block</source>
        <translation>Block</translation>
    </message>
    <message>
        <source>Show the largest allocation of that stack at that moment</source>
        <translation>Die größte Allokation dieses Stacks in diesem Moment zeigen</translation>
    </message>
    <message>
        <source>module</source>
        <translation>Modul</translation>
    </message>
    <message>
        <source>Show the module that it belongs to</source>
        <translation>Das Modul zeigen, zu dem sie gehört</translation>
    </message>
    <message>
        <source>%1, confidence %2</source>
        <translation>%1, Sicherheit %2</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::ExplainDialog</name>
    <message>
        <source>There is no text in it.</source>
        <translation>Kein Text darin.</translation>
    </message>
    <message>
        <source>it is no file</source>
        <translation>das ist keine Datei</translation>
    </message>
    <message>
        <source>The log cannot be read: %1.</source>
        <translation>Das Log kann nicht gelesen werden: %1.</translation>
    </message>
    <message>
        <source>The log is longer than %1 GiB; give the part with the message.</source>
        <translation>Das Log ist länger als %1 GiB; bitte nur den Teil mit der Meldung angeben.</translation>
    </message>
    <message>
        <source>The answer appears here as soon as there is a text.</source>
        <translation>Die Antwort erscheint hier, sobald ein Text da ist.</translation>
    </message>
    <message>
        <source>The text</source>
        <translation>Der Text</translation>
    </message>
    <message>
        <source>Explain a message</source>
        <translation>Eine Meldung erklären</translation>
    </message>
    <message>
        <source>The out-of-memory &amp;message, the traceback or the log</source>
        <translation>Die Out-of-Memory-&amp;Meldung, der Traceback oder das Log</translation>
    </message>
    <message>
        <source>Paste it here, or drop a log on this window.
CUDA out of memory. Tried to allocate …</source>
        <translation>Hier einfügen oder ein Log auf dieses Fenster ziehen.
CUDA out of memory. Tried to allocate …</translation>
    </message>
    <message>
        <source>What the text says</source>
        <translation>Was der Text sagt</translation>
    </message>
    <message>
        <source>&amp;Open Logs…</source>
        <translation>&amp;Logs öffnen…</translation>
    </message>
    <message>
        <source>Explained is the log %1</source>
        <translation>Erklärt wird das Log %1</translation>
    </message>
    <message numerus="yes">
        <source>Explained are %Ln log(s)</source>
        <translation>
            <numerusform>Erklärt wird %Ln Log</numerusform>
            <numerusform>Erklärt werden %Ln Logs</numerusform>
        </translation>
    </message>
    <message>
        <source>&amp;Diagnose %1 with It</source>
        <translation>%1 damit &amp;diagnostizieren</translation>
    </message>
    <message>
        <source>There is no out-of-memory message in it.</source>
        <translation>Keine Out-of-Memory-Meldung darin.</translation>
    </message>
    <message>
        <source>Open logs</source>
        <translation>Logs öffnen</translation>
    </message>
    <message>
        <source>Logs (*.log *.txt *.out *.err *.log.gz *.log.zst *.txt.gz);;All files (*)</source>
        <translation>Logs (*.log *.txt *.out *.err *.log.gz *.log.zst *.txt.gz);;Alle Dateien (*)</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::FactsModel</name>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>path</source>
        <translation>Pfad</translation>
    </message>
    <message>
        <source>size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>%1, protocol %2</source>
        <translation>%1, Protokoll %2</translation>
    </message>
    <message>
        <source>read by</source>
        <translation>gelesen von</translation>
    </message>
    <message>
        <source>devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>%1, memory on %2 of them</source>
        <translation>%1, Speicher auf %2 davon</translation>
    </message>
    <message>
        <source>distinct stacks</source>
        <translation>verschiedene Stacks</translation>
    </message>
    <message>
        <source>annotations</source>
        <translation>Annotationen</translation>
    </message>
    <message>
        <source>capacity</source>
        <translation>Kapazität</translation>
    </message>
    <message>
        <source>capacity from</source>
        <translation>Kapazität aus</translation>
    </message>
    <message>
        <source>recipe</source>
        <translation>Rezept</translation>
    </message>
    <message>
        <source>Allocator</source>
        <translation>Allocator</translation>
    </message>
    <message>
        <source>settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>the file states none</source>
        <translation>die Datei nennt keine</translation>
    </message>
    <message>
        <source>not set</source>
        <translation>nicht gesetzt</translation>
    </message>
    <message>
        <source>unlimited</source>
        <translation>unbegrenzt</translation>
    </message>
    <message>
        <source>Capture</source>
        <translation>Capture</translation>
    </message>
    <message>
        <source>Host memory</source>
        <translation>Host-Speicher</translation>
    </message>
    <message>
        <source>GPU %1</source>
        <translation>GPU %1</translation>
    </message>
    <message>
        <source>%1 · peak %2</source>
        <translation>%1 · Peak %2</translation>
    </message>
    <message>
        <source>%1 · peak %2 · OOM</source>
        <translation>%1 · Peak %2 · OOM</translation>
    </message>
    <message>
        <source>section</source>
        <translation>Abschnitt</translation>
    </message>
    <message>
        <source>name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>value</source>
        <translation>Wert</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::FilePanel</name>
    <message>
        <source>About the file</source>
        <translation>Über die Datei</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Input notes</source>
        <translation>Hinweise zur Eingabe</translation>
    </message>
    <message>
        <source>None: nothing in the file was odd.</source>
        <translation>Keine: Nichts an der Datei war auffällig.</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::FixCard</name>
    <message>
        <source>What if…</source>
        <translation>Was wäre wenn…</translation>
    </message>
    <message>
        <source>All fixes</source>
        <translation>Alle Abhilfen</translation>
    </message>
    <message>
        <source>Its curve over the timeline, and the budget before and after</source>
        <translation>Ihre Kurve über der Zeitleiste und das Budget davor und danach</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::FixDetail</name>
    <message>
        <source>not enough alone, %1 short</source>
        <translation>allein nicht genug, es fehlen %1</translation>
    </message>
    <message>
        <source>saves %1</source>
        <translation>spart %1</translation>
    </message>
    <message>
        <source>needs %1</source>
        <translation>braucht %1</translation>
    </message>
    <message>
        <source>its curve peaks at %1 (%2 to %3) at %4</source>
        <translation>Peak ihrer Kurve: %1 (%2 bis %3) bei %4</translation>
    </message>
    <message>
        <source>What if: curve, budget, further changes…</source>
        <translation>Was wäre wenn: Kurve, Budget, weitere Änderungen…</translation>
    </message>
    <message>
        <source>The lines to paste</source>
        <translation>Die Zeilen zum Einfügen</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Alone</source>
        <translation>Allein</translation>
    </message>
    <message>
        <source>Copy the lines for %1</source>
        <translation>Die Zeilen für %1 kopieren</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::FixesModel</name>
    <message>
        <source>recommended</source>
        <translation>empfohlen</translation>
    </message>
    <message>
        <source>would help</source>
        <translation>würde helfen</translation>
    </message>
    <message>
        <source>already on</source>
        <translation>schon an</translation>
    </message>
    <message>
        <source>not needed</source>
        <translation>nicht nötig</translation>
    </message>
    <message>
        <source>not enough</source>
        <translation>nicht genug</translation>
    </message>
    <message>
        <source>does not apply</source>
        <translation>passt hier nicht</translation>
    </message>
    <message>
        <source>other experiment</source>
        <translation>anderes Experiment</translation>
    </message>
    <message>
        <source>to be verified</source>
        <translation>zu prüfen</translation>
    </message>
    <message>
        <source>same result</source>
        <translation>gleiches Ergebnis</translation>
    </message>
    <message>
        <source>%1 short</source>
        <translation>es fehlen %1</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>passt</translation>
    </message>
    <message>
        <source>not known whether it fits</source>
        <translation>unbekannt, ob es passt</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>passt nicht</translation>
    </message>
    <message>
        <source>needs %1 of the %2 available</source>
        <translation>braucht %1 der verfügbaren %2</translation>
    </message>
    <message>
        <source>at least %1 stay free</source>
        <translation>mindestens %1 bleiben frei</translation>
    </message>
    <message>
        <source>effective batch: %1</source>
        <translation>effektiver Batch: %1</translation>
    </message>
    <message>
        <source>Fits, each alone: %1</source>
        <translation>Passt, jedes für sich: %1</translation>
    </message>
    <message>
        <source>Check again: %1</source>
        <translation>Erneut prüfen: %1</translation>
    </message>
    <message>
        <source>%1 from the driver: %2 of live bytes, the rest is what the allocator keeps beside them.
The curve&apos;s peak would be %3 (between %4 and %5).</source>
        <translation>%1 vom Treiber: davon %2 belegte Bytes, der Rest ist, was der Allocator daneben hält.
Der Peak der Kurve läge bei %3 (zwischen %4 und %5).</translation>
    </message>
    <message>
        <source>Place in the order of cost: 1 costs least.</source>
        <translation>Rang nach Kosten: 1 kostet am wenigsten.</translation>
    </message>
    <message>
        <source>order</source>
        <translation>Rang</translation>
    </message>
    <message>
        <source>change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>needs</source>
        <translation>braucht</translation>
    </message>
    <message>
        <source>against %1</source>
        <translation>von %1</translation>
    </message>
    <message>
        <source>capacity not known</source>
        <translation>Kapazität unbekannt</translation>
    </message>
    <message>
        <source>status</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>fits, ≥ %1 free</source>
        <translation>passt, ≥ %1 frei</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::FixesPanel</name>
    <message>
        <source>Fixes, cheapest first</source>
        <translation>Abhilfen, günstigste zuerst</translation>
    </message>
    <message>
        <source>Looking for what would help…</source>
        <translation>Sucht, was helfen würde…</translation>
    </message>
    <message>
        <source>Hide what does not apply</source>
        <translation>Ausblenden, was nicht passt</translation>
    </message>
    <message numerus="yes">
        <source>Show %Ln more that do not apply here</source>
        <translation>
            <numerusform>%Ln weitere zeigen, die hier nicht passt</numerusform>
            <numerusform>%Ln weitere zeigen, die hier nicht passen</numerusform>
        </translation>
    </message>
    <message>
        <source>Choose a change to see why it helps, what it costs, the lines to paste, and the curve it would lead to.</source>
        <translation>Eine Änderung wählen, um zu sehen, warum sie hilft, was sie kostet, die Zeilen zum Einfügen und die Kurve, die sie ergäbe.</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::FramesModel</name>
    <message>
        <source>function</source>
        <translation>Funktion</translation>
    </message>
    <message>
        <source>file</source>
        <translation>Datei</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::GrowthModel</name>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>rising</source>
        <translation>steigt</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>gestoppt</translation>
    </message>
    <message>
        <source>unclear</source>
        <translation>unklar</translation>
    </message>
    <message>
        <source>no frames recorded</source>
        <translation>keine Frames aufgezeichnet</translation>
    </message>
    <message>
        <source>Median slope of what is live at the ends of steps; from %1 to %2.</source>
        <translation>Mittlere Steigung (Median) des Belegten an den Enden der Schritte; von %1 bis %2.</translation>
    </message>
    <message>
        <source>From one end of a step to the next; falls: %1</source>
        <translation>Von einem Schrittende zum nächsten; gefallen: %1</translation>
    </message>
    <message>
        <source>How likely chance alone would rise as much (Mann–Kendall test).</source>
        <translation>Wie wahrscheinlich der Zufall allein ebenso stark stiege (Mann-Kendall-Test).</translation>
    </message>
    <message>
        <source>Rises from step to step: a leak, whatever its size.</source>
        <translation>Steigt von Schritt zu Schritt: ein Leck, gleich welcher Größe.</translation>
    </message>
    <message>
        <source>Rose and has been flat since: a cache that is full, or state made late.</source>
        <translation>Stieg und ist seitdem gleich: ein voller Cache oder spät angelegter Zustand.</translation>
    </message>
    <message>
        <source>Up and down, or too few steps to tell.</source>
        <translation>Auf und ab, oder zu wenige Schritte für eine Aussage.</translation>
    </message>
    <message>
        <source>per step</source>
        <translation>je Schritt</translation>
    </message>
    <message>
        <source>rises</source>
        <translation>Anstiege</translation>
    </message>
    <message>
        <source>by chance</source>
        <translation>durch Zufall</translation>
    </message>
    <message>
        <source>now</source>
        <translation>jetzt</translation>
    </message>
    <message>
        <source>verdict</source>
        <translation>Befund</translation>
    </message>
    <message>
        <source>line</source>
        <translation>Zeile</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::HelpActions</name>
    <message>
        <source>Put one of these around your training loop. When the GPU runs out of memory, the file is written; copy it here and drop it on the window. The start page saves the capture module.</source>
        <translation>Eines davon um die Trainingsschleife legen. Geht der GPU-Speicher aus, wird die Datei geschrieben; hierher kopieren und auf das Fenster ziehen. Die Startseite speichert das Capture-Modul.</translation>
    </message>
    <message>
        <source>Elsewhere in the window</source>
        <translation>Sonst im Fenster</translation>
    </message>
    <message>
        <source>In the timeline</source>
        <translation>In der Zeitleiste</translation>
    </message>
    <message>
        <source>In its legend</source>
        <translation>In ihrer Legende</translation>
    </message>
    <message>
        <source>In the memory map</source>
        <translation>Im Speicherlayout</translation>
    </message>
    <message>
        <source>In the tab Stacks</source>
        <translation>Im Tab „Stacks“</translation>
    </message>
    <message>
        <source>Between two runs</source>
        <translation>Zwischen zwei Läufen</translation>
    </message>
    <message>
        <source>&amp;Words: Reserved, Active, Cached…</source>
        <translation>&amp;Begriffe: reserviert, aktiv, im Cache…</translation>
    </message>
    <message>
        <source>&amp;Keys and Mouse</source>
        <translation>&amp;Tasten und Maus</translation>
    </message>
    <message>
        <source>How to &amp;Record a Snapshot</source>
        <translation>Einen Snapshot &amp;aufzeichnen</translation>
    </message>
    <message>
        <source>&amp;About Tidemark</source>
        <translation>Ü&amp;ber Tidemark</translation>
    </message>
    <message>
        <source>Words</source>
        <translation>Begriffe</translation>
    </message>
    <message>
        <source>Keys and mouse</source>
        <translation>Tasten und Maus</translation>
    </message>
    <message>
        <source>Recording</source>
        <translation>Aufzeichnen</translation>
    </message>
    <message>
        <source>About Tidemark</source>
        <translation>Über Tidemark</translation>
    </message>
    <message>
        <source>&lt;b&gt;Tidemark %1&lt;/b&gt;&lt;br&gt;Shows what filled a GPU in a PyTorch run, when, why, and what to change.&lt;br&gt;&lt;br&gt;Qt %2 · Python %3&lt;br&gt;Free software under the GNU General Public License, version 3 or later.</source>
        <translation>&lt;b&gt;Tidemark %1&lt;/b&gt;&lt;br&gt;Zeigt, was in einem PyTorch-Lauf die GPU gefüllt hat, wann, warum und was zu ändern ist.&lt;br&gt;&lt;br&gt;Qt %2 · Python %3&lt;br&gt;Freie Software unter der GNU General Public License, Version 3 oder neuer.</translation>
    </message>
    <message>
        <source>segment</source>
        <translation>Segment</translation>
    </message>
    <message>
        <source>One piece of memory that PyTorch&apos;s allocator got from the driver. It hands parts of it, blocks, to tensors; a block never leaves its segment.</source>
        <translation>Ein Stück Speicher, das PyTorchs Allocator vom Treiber bekommen hat. Teile davon, die Blöcke, gibt er an Tensoren weiter; ein Block verlässt nie sein Segment.</translation>
    </message>
    <message>
        <source>allocated</source>
        <translation>allokiert</translation>
    </message>
    <message>
        <source>What the program holds: from the request of a tensor to its free.</source>
        <translation>Was das Programm hält: von der Anforderung eines Tensors bis zu seiner Freigabe.</translation>
    </message>
    <message>
        <source>active</source>
        <translation>aktiv</translation>
    </message>
    <message>
        <source>Allocated, and blocks that are freed but wait for another stream to be done with them. The coloured bands; the peak is their highest point.</source>
        <translation>Allokiert, dazu freigegebene Blöcke, die noch auf einen anderen Stream warten. Die farbigen Bänder; der Peak ist ihr höchster Punkt.</translation>
    </message>
    <message>
        <source>cached</source>
        <translation>im Cache</translation>
    </message>
    <message>
        <source>Freed, but kept by the allocator for the next request; hatched. No other process can use it.</source>
        <translation>Freigegeben, aber vom Allocator für die nächste Anforderung behalten; schraffiert. Kein anderer Prozess kann es nutzen.</translation>
    </message>
    <message>
        <source>reserved</source>
        <translation>reserviert</translation>
    </message>
    <message>
        <source>Active and cached: all segments together, the dashed line. nvidia-smi shows this and what CUDA itself needs.</source>
        <translation>Aktiv und im Cache: alle Segmente zusammen, die gestrichelte Linie. nvidia-smi zeigt dies und was CUDA selbst braucht.</translation>
    </message>
    <message>
        <source>pool</source>
        <translation>Pool</translation>
    </message>
    <message>
        <source>Segments that share their free blocks: one for small requests and one for large ones, for each stream. CUDA graphs and MemPools have private ones, dotted, which nothing else may use.</source>
        <translation>Segmente, die ihre freien Blöcke teilen: einer für kleine und einer für große Anforderungen, je Stream. CUDA-Graphen und MemPools haben private, gepunktet gezeichnet, die sonst niemand nutzen darf.</translation>
    </message>
    <message>
        <source>fragmentation</source>
        <translation>Fragmentierung</translation>
    </message>
    <message>
        <source>Much is cached, yet no free block is large enough for the request.</source>
        <translation>Viel liegt im Cache, aber kein freier Block ist groß genug für die Anforderung.</translation>
    </message>
    <message>
        <source>capacity</source>
        <translation>Kapazität</translation>
    </message>
    <message>
        <source>What this process could get at most: the red line. Less than the card&apos;s size where others hold memory, too.</source>
        <translation>Was dieser Prozess höchstens bekommen konnte: die rote Linie. Weniger als die Größe der Karte, wenn auch andere Speicher halten.</translation>
    </message>
    <message>
        <source>parameters, gradients, optimizer state</source>
        <translation>Parameter, Gradienten, Optimizer-Zustand</translation>
    </message>
    <message>
        <source>As large as the model, whatever the batch.</source>
        <translation>So groß wie das Modell, unabhängig vom Batch.</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>Aktivierungen</translation>
    </message>
    <message>
        <source>What forward keeps for backward: grows with batch and sequence.</source>
        <translation>Was der Forward für den Backward behält: wächst mit Batch und Sequenz.</translation>
    </message>
    <message>
        <source>temporaries, workspace</source>
        <translation>temporäre Tensoren, Workspace</translation>
    </message>
    <message>
        <source>Gone within an operation, yet in the peak.</source>
        <translation>Noch in der Operation wieder weg, aber im Peak enthalten.</translation>
    </message>
    <message>
        <source>key-value cache</source>
        <translation>KV-Cache</translation>
    </message>
    <message>
        <source>What attention keeps of earlier tokens while text is generated.</source>
        <translation>Was Attention beim Generieren von früheren Tokens behält.</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>What the file does not tell; never counted as anything else.</source>
        <translation>Was die Datei nicht verrät; wird nie zu etwas anderem gezählt.</translation>
    </message>
    <message>
        <source>event</source>
        <translation>Ereignis</translation>
    </message>
    <message>
        <source>One entry of the trace: an allocation, a free, a segment.</source>
        <translation>Ein Eintrag des Trace: eine Allokation, eine Freigabe, ein Segment.</translation>
    </message>
    <message>
        <source>phase, step</source>
        <translation>Phase, Schritt</translation>
    </message>
    <message>
        <source>Forward, backward, optimizer; a step is one training iteration.</source>
        <translation>Forward, Backward, Optimizer; ein Schritt ist eine Trainingsiteration.</translation>
    </message>
    <message>
        <source>peak</source>
        <translation>Peak</translation>
    </message>
    <message>
        <source>The first moment with the most active bytes.</source>
        <translation>Der erste Moment mit den meisten aktiven Bytes.</translation>
    </message>
    <message>
        <source>Memory of the allocator</source>
        <translation>Speicher des Allocators</translation>
    </message>
    <message>
        <source>What memory is for</source>
        <translation>Wozu Speicher dient</translation>
    </message>
    <message>
        <source>Moments</source>
        <translation>Momente</translation>
    </message>
    <message>
        <source>Of the ranks of a job</source>
        <translation>Bei den Ranks eines Jobs</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::HelpDialog</name>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
    <message>
        <source>Pages of help</source>
        <translation>Hilfeseiten</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::IcicleView</name>
    <message numerus="yes">
        <source>%1
%2 (%3), %4 of all, in %Ln allocation(s)</source>
        <translation>
            <numerusform>%1
%2 (%3), %4 von allem, in %Ln Allokation</numerusform>
            <numerusform>%1
%2 (%3), %4 von allem, in %Ln Allokationen</numerusform>
        </translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>Alles</translation>
    </message>
    <message>
        <source>Calls by the bytes that they allocated</source>
        <translation>Aufrufe nach den Bytes, die sie allokiert haben</translation>
    </message>
    <message>
        <source>To the caller</source>
        <translation>Zum Aufrufer</translation>
    </message>
    <message>
        <source>To the largest call in it</source>
        <translation>Zum größten Aufruf darin</translation>
    </message>
    <message>
        <source>To the call beside it, on the left</source>
        <translation>Zum Aufruf links daneben</translation>
    </message>
    <message>
        <source>To the call beside it, on the right</source>
        <translation>Zum Aufruf rechts daneben</translation>
    </message>
    <message>
        <source>Show only what the chosen call leads to</source>
        <translation>Nur zeigen, wohin der gewählte Aufruf führt</translation>
    </message>
    <message>
        <source>One call farther out</source>
        <translation>Einen Aufruf weiter nach außen</translation>
    </message>
    <message>
        <source>Show all again</source>
        <translation>Wieder alles zeigen</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::JobActions</name>
    <message>
        <source>Open a &amp;Folder of Ranks…</source>
        <translation>O&amp;rdner mit Ranks öffnen …</translation>
    </message>
    <message>
        <source>Open the dumps of a job&apos;s ranks</source>
        <translation>Dumps der Ranks eines Jobs öffnen</translation>
    </message>
    <message>
        <source>Of %1 only a summary is here; its snapshot can be opened where it lies.</source>
        <translation>Von %1 liegt hier nur eine Zusammenfassung; der Snapshot lässt sich dort öffnen, wo er liegt.</translation>
    </message>
    <message>
        <source>Both are devices of one file; open it and choose the device.</source>
        <translation>Beide sind Geräte einer Datei; in der geöffneten Datei lässt sich das Gerät wählen.</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::JobAnswer</name>
    <message numerus="yes">
        <source>%Ln missing: %1</source>
        <translation>
            <numerusform>%Ln fehlt: %1</numerusform>
            <numerusform>%Ln fehlen: %1</numerusform>
        </translation>
    </message>
    <message>
        <source>stop</source>
        <translation>anhalten</translation>
    </message>
    <message>
        <source>Looking for ranks…</source>
        <translation>Suche nach Ranks …</translation>
    </message>
    <message>
        <source>Reading the ranks…</source>
        <translation>Die Ranks werden gelesen …</translation>
    </message>
    <message numerus="yes">
        <source>%1 of %Ln rank(s)</source>
        <translation>
            <numerusform>%1 von %Ln Rank</numerusform>
            <numerusform>%1 von %Ln Ranks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln dump(s)</source>
        <translation>
            <numerusform>%Ln Dump</numerusform>
            <numerusform>%Ln Dumps</numerusform>
        </translation>
    </message>
    <message>
        <source>open %1</source>
        <translation>%1 öffnen</translation>
    </message>
    <message>
        <source>compare %1 with %2</source>
        <translation>%1 mit %2 vergleichen</translation>
    </message>
    <message>
        <source>looking for dumps</source>
        <translation>Suche nach Dumps</translation>
    </message>
    <message numerus="yes">
        <source>reading %Ln dump(s), %1</source>
        <translation>
            <numerusform>%Ln Dump wird gelesen, %1</numerusform>
            <numerusform>%Ln Dumps werden gelesen, %1</numerusform>
        </translation>
    </message>
    <message>
        <source>compare</source>
        <translation>vergleichen</translation>
    </message>
    <message>
        <source>open</source>
        <translation>öffnen</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::JobLines</name>
    <message>
        <source>dump</source>
        <translation>Dump</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>Rank %1</translation>
    </message>
    <message>
        <source>cannot be read</source>
        <translation>nicht lesbar</translation>
    </message>
    <message>
        <source>perhaps first to fail, %1</source>
        <translation>vielleicht als Erster gescheitert, %1</translation>
    </message>
    <message>
        <source>perhaps first to fail</source>
        <translation>vielleicht als Erster gescheitert</translation>
    </message>
    <message>
        <source>first to fail, %1</source>
        <translation>als Erster gescheitert, %1</translation>
    </message>
    <message>
        <source>first to fail</source>
        <translation>als Erster gescheitert</translation>
    </message>
    <message>
        <source>failed, too</source>
        <translation>auch gescheitert</translation>
    </message>
    <message>
        <source>failed %1 later</source>
        <translation>%1 später gescheitert</translation>
    </message>
    <message>
        <source>last event %1 later</source>
        <translation>letztes Ereignis %1 später</translation>
    </message>
    <message numerus="yes">
        <source>%Ln step(s)</source>
        <translation>
            <numerusform>%Ln Schritt</numerusform>
            <numerusform>%Ln Schritte</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 asked for, %2 free</source>
        <translation>%1 angefordert, %2 frei</translation>
    </message>
    <message>
        <source>%1 asked for</source>
        <translation>%1 angefordert</translation>
    </message>
    <message>
        <source>Dumped because of: %1</source>
        <translation>Grund des Dumps: %1</translation>
    </message>
    <message>
        <source>failed %1 earlier</source>
        <translation>%1 früher gescheitert</translation>
    </message>
    <message>
        <source>last event %1 earlier</source>
        <translation>letztes Ereignis %1 früher</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::JobPage</name>
    <message>
        <source>One clock</source>
        <translation>Eine Uhr</translation>
    </message>
    <message>
        <source>By event</source>
        <translation>Nach Ereignis</translation>
    </message>
    <message>
        <source>all dumps</source>
        <translation>alle Dumps</translation>
    </message>
    <message>
        <source>All dumps of a rank beside each other, instead of its last one</source>
        <translation>Alle Dumps eines Ranks nebeneinander statt nur des letzten</translation>
    </message>
    <message>
        <source>outliers first</source>
        <translation>Ausreißer zuerst</translation>
    </message>
    <message>
        <source>The rank that failed first, then those that differ most</source>
        <translation>Zuerst der Rank, der als Erster scheiterte, dann die mit den größten Unterschieden</translation>
    </message>
    <message>
        <source>A click selects a rank. Return opens it, C compares it with the median rank, N goes to the next one that differs.</source>
        <translation>Ein Klick wählt einen Rank. Die Eingabetaste öffnet ihn, C vergleicht ihn mit dem Median-Rank, N geht zum nächsten, der abweicht.</translation>
    </message>
    <message>
        <source>show all of the run</source>
        <translation>ganzen Lauf zeigen</translation>
    </message>
    <message>
        <source>Setting up takes most of the time and is left out; Ctrl and the wheel zoom</source>
        <translation>Der Aufbau nimmt die meiste Zeit ein und ist ausgelassen; Strg und Mausrad zoomen</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::JobSession</name>
    <message>
        <source>Something went wrong inside the program: %1.</source>
        <translation>Im Programm ging etwas schief: %1.</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::LegendBar</name>
    <message>
        <source>Show all</source>
        <translation>Alle zeigen</translation>
    </message>
    <message>
        <source>Single allocations</source>
        <translation>Einzelne Allokationen</translation>
    </message>
    <message>
        <source>Reserved under other settings</source>
        <translation>Reserviert unter anderen Einstellungen</translation>
    </message>
    <message>
        <source>What the run would have reserved; a click removes the line</source>
        <translation>Was der Lauf reserviert hätte; ein Klick entfernt die Linie</translation>
    </message>
    <message>
        <source>Draw every allocation as a band of its own, in the order they were made (A)</source>
        <translation>Jede Allokation als eigenes Band zeichnen, in der Reihenfolge ihrer Entstehung (A)</translation>
    </message>
    <message>
        <source>What the bands are</source>
        <translation>Was die Bänder sind</translation>
    </message>
    <message>
        <source>What the bands are: by what allocations are stacked and coloured</source>
        <translation>Was die Bänder sind: wonach Allokationen gestapelt und gefärbt werden</translation>
    </message>
    <message>
        <source>by %1</source>
        <translation>nach %1</translation>
    </message>
    <message>
        <source>Show or hide a band</source>
        <translation>Ein Band zeigen oder ausblenden</translation>
    </message>
    <message>
        <source>Show a band alone, or all again</source>
        <translation>Ein Band allein oder wieder alle zeigen</translation>
    </message>
    <message>
        <source>Alt and click</source>
        <translation>Alt und Klick</translation>
    </message>
    <message>
        <source>Show or hide this band, with Alt show it alone; at most %1</source>
        <translation>Dieses Band zeigen oder ausblenden, mit Alt allein zeigen; höchstens %1</translation>
    </message>
    <message>
        <source>Reserved under %1</source>
        <translation>Reserviert unter %1</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::Letters</name>
    <message>
        <source>There is no font on this machine, so all letters would be empty boxes; install one, such as the package fonts-dejavu-core, or use tidemark-cli, which needs none.</source>
        <translation>Auf diesem Rechner ist keine Schrift installiert, alle Buchstaben wären leere Kästchen; eine installieren, etwa das Paket fonts-dejavu-core, oder tidemark-cli verwenden, das keine braucht.</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::LinesMenu</name>
    <message>
        <source>Copy the lines ▾</source>
        <translation>Zeilen kopieren ▾</translation>
    </message>
    <message>
        <source>What to write into the program, for each framework</source>
        <translation>Was ins Programm zu schreiben ist, je Framework</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::LoadingStrip</name>
    <message>
        <source>waiting</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>opening</source>
        <translation>öffnet</translation>
    </message>
    <message>
        <source>checking</source>
        <translation>prüft</translation>
    </message>
    <message>
        <source>reading</source>
        <translation>liest</translation>
    </message>
    <message>
        <source>decoding</source>
        <translation>dekodiert</translation>
    </message>
    <message>
        <source>replaying</source>
        <translation>spielt ab</translation>
    </message>
    <message>
        <source>labelling</source>
        <translation>vergibt Labels</translation>
    </message>
    <message>
        <source>diagnosing</source>
        <translation>diagnostiziert</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Opening %1: %2</source>
        <translation>%1 wird geöffnet: %2</translation>
    </message>
    <message numerus="yes">
        <source>%1, %Ln more to come</source>
        <translation>
            <numerusform>%1, %Ln weitere folgt</numerusform>
            <numerusform>%1, %Ln weitere folgen</numerusform>
        </translation>
    </message>
    <message>
        <source>replaying the allocator</source>
        <translation>spielt den Allocator nach</translation>
    </message>
    <message>
        <source>simulating</source>
        <translation>simuliert</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::MainWindow</name>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>Ö&amp;ffnen…</translation>
    </message>
    <message>
        <source>Open &amp;Recent</source>
        <translation>&amp;Zuletzt geöffnet</translation>
    </message>
    <message>
        <source>Open Re&amp;mote…</source>
        <translation>Von anderem &amp;Rechner öffnen…</translation>
    </message>
    <message>
        <source>Open What Is Copie&amp;d</source>
        <translation>&amp;Kopiertes öffnen</translation>
    </message>
    <message>
        <source>Open the E&amp;xample</source>
        <translation>&amp;Beispiel öffnen</translation>
    </message>
    <message>
        <source>Use a Run&apos;s Confi&amp;guration…</source>
        <translation>Ko&amp;nfiguration eines Laufs verwenden…</translation>
    </message>
    <message>
        <source>Explain a &amp;Message…</source>
        <translation>&amp;Meldung erklären…</translation>
    </message>
    <message>
        <source>Model &amp;States…</source>
        <translation>Modell&amp;zustände…</translation>
    </message>
    <message>
        <source>P&amp;lan a Run…</source>
        <translation>&amp;Lauf planen…</translation>
    </message>
    <message>
        <source>&amp;Close File</source>
        <translation>Datei &amp;schließen</translation>
    </message>
    <message>
        <source>Export &amp;PDF Report…</source>
        <translation>&amp;PDF-Bericht exportieren…</translation>
    </message>
    <message>
        <source>Export P&amp;icture…</source>
        <translation>B&amp;ild exportieren…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>B&amp;eenden</translation>
    </message>
    <message>
        <source>&amp;Whole Trace</source>
        <translation>&amp;Ganzer Trace</translation>
    </message>
    <message>
        <source>Zoom &amp;In</source>
        <translation>Ver&amp;größern</translation>
    </message>
    <message>
        <source>Zoom &amp;Out</source>
        <translation>Ver&amp;kleinern</translation>
    </message>
    <message>
        <source>Zoom to the &amp;Selected Range</source>
        <translation>Auf den aus&amp;gewählten Bereich zoomen</translation>
    </message>
    <message>
        <source>&amp;Back to the View Before</source>
        <translation>&amp;Zurück zur vorigen Ansicht</translation>
    </message>
    <message>
        <source>&amp;Forward to the View After</source>
        <translation>&amp;Vor zur nächsten Ansicht</translation>
    </message>
    <message>
        <source>Go to the &amp;Peak, Then the Next Ones</source>
        <translation>Zum &amp;Peak, dann zu den nächsten</translation>
    </message>
    <message>
        <source>Go to E&amp;vent or Time…</source>
        <translation>Zu &amp;Ereignis oder Zeit…</translation>
    </message>
    <message>
        <source>Go to the Next Out-of-&amp;Memory Event</source>
        <translation>Zum nächsten Out-of-&amp;Memory-Ereignis</translation>
    </message>
    <message>
        <source>&amp;Events or Time</source>
        <translation>Ereignisse oder Ze&amp;it</translation>
    </message>
    <message>
        <source>Bands or Single &amp;Allocations</source>
        <translation>Bänder oder einzelne &amp;Allokationen</translation>
    </message>
    <message>
        <source>Fit the &amp;Height to What Is Visible</source>
        <translation>&amp;Höhe an das Sichtbare anpassen</translation>
    </message>
    <message>
        <source>Show All &amp;Bands</source>
        <translation>Alle &amp;Bänder zeigen</translation>
    </message>
    <message>
        <source>&amp;Compare</source>
        <translation>Verglei&amp;chen</translation>
    </message>
    <message>
        <source>Compa&amp;rison</source>
        <translation>Ve&amp;rgleich</translation>
    </message>
    <message>
        <source>Try Changes: What &amp;If…</source>
        <translation>Änderungen probieren: &amp;Was wäre wenn…</translation>
    </message>
    <message>
        <source>Pa&amp;nels</source>
        <translation>&amp;Felder</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>&amp;Design</translation>
    </message>
    <message>
        <source>Like the &amp;System</source>
        <translation>Wie das &amp;System</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>&amp;Hell</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>&amp;Dunkel</translation>
    </message>
    <message>
        <source>Lan&amp;guage</source>
        <translation>S&amp;prache</translation>
    </message>
    <message>
        <source>The language changes when Tidemark is started again.</source>
        <translation>Die Sprache wechselt beim nächsten Start von Tidemark.</translation>
    </message>
    <message>
        <source>Open memory snapshots</source>
        <translation>Speicher-Snapshots öffnen</translation>
    </message>
    <message>
        <source>Memory snapshots (*.pickle *.pkl *.json *.html *.gz *.xz *.zst *.bz2 *.lz4 *.zip *.tar *.tgz);;All files (*)</source>
        <translation>Speicher-Snapshots (*.pickle *.pkl *.json *.html *.gz *.xz *.zst *.bz2 *.lz4 *.zip *.tar *.tgz);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>%1 is diagnosed again, with the message.</source>
        <translation>%1 wird mit der Meldung neu diagnostiziert.</translation>
    </message>
    <message>
        <source>Go to event or time</source>
        <translation>Zu Ereignis oder Zeit</translation>
    </message>
    <message>
        <source>An event number (5000), or a time since the first event (1.25 s, 350 ms):</source>
        <translation>Die Nummer eines Ereignisses (5000) oder eine Zeit seit dem ersten Ereignis (1,25 s, 350 ms):</translation>
    </message>
    <message>
        <source>An event number, such as 5000; this file has no times:</source>
        <translation>Die Nummer eines Ereignisses, etwa 5000; diese Datei enthält keine Zeiten:</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is neither an event number such as 5000 nor a time such as 1.25 s.</source>
        <translation>„%1“ ist weder die Nummer eines Ereignisses wie 5000 noch eine Zeit wie 1,25 s.</translation>
    </message>
    <message>
        <source>No out-of-memory event was recorded on this device.</source>
        <translation>Auf diesem Gerät wurde kein Out-of-Memory-Ereignis aufgezeichnet.</translation>
    </message>
    <message>
        <source>Write the report</source>
        <translation>Den Bericht schreiben</translation>
    </message>
    <message>
        <source>PDF (*.pdf)</source>
        <translation>PDF (*.pdf)</translation>
    </message>
    <message>
        <source>Report written to %1</source>
        <translation>Bericht geschrieben nach %1</translation>
    </message>
    <message>
        <source>Report written to %1. It is about the run as it was recorded: what is being tried is not in it.</source>
        <translation>Bericht geschrieben nach %1. Er zeigt den Lauf, wie er aufgezeichnet wurde: Was gerade probiert wird, steht nicht darin.</translation>
    </message>
    <message>
        <source>Export the timeline</source>
        <translation>Die Zeitleiste exportieren</translation>
    </message>
    <message>
        <source>Picture (*.png);;Vector picture (*.svg);;PDF (*.pdf)</source>
        <translation>Bild (*.png);;Vektorbild (*.svg);;PDF (*.pdf)</translation>
    </message>
    <message>
        <source>Picture written to %1</source>
        <translation>Bild geschrieben nach %1</translation>
    </message>
    <message>
        <source>Save the capture module</source>
        <translation>Das Capture-Modul speichern</translation>
    </message>
    <message>
        <source>Python (*.py)</source>
        <translation>Python (*.py)</translation>
    </message>
    <message>
        <source>Capture module written to %1</source>
        <translation>Capture-Modul geschrieben nach %1</translation>
    </message>
    <message>
        <source>Copied; paste it around your training loop.</source>
        <translation>Kopiert; um die Trainingsschleife herum einfügen.</translation>
    </message>
    <message>
        <source>Copied to the clipboard.</source>
        <translation>In die Zwischenablage kopiert.</translation>
    </message>
    <message>
        <source>Opening %1…</source>
        <translation>%1 wird geöffnet…</translation>
    </message>
    <message>
        <source>Tidemark</source>
        <translation>Tidemark</translation>
    </message>
    <message>
        <source>%1 – Tidemark</source>
        <translation>%1 – Tidemark</translation>
    </message>
    <message>
        <source>%1 holds no memory</source>
        <translation>%1 enthält keinen Speicher</translation>
    </message>
    <message numerus="yes">
        <source>The file is a valid snapshot of %Ln device(s), but it lists no events and no segments: nothing was allocated when it was written, or recording was not switched on in that process.</source>
        <translation>
            <numerusform>Die Datei ist ein gültiger Snapshot von %Ln Gerät, nennt aber weder Ereignisse noch Segmente: Als sie geschrieben wurde, war nichts allokiert, oder die Aufzeichnung war in diesem Prozess nicht eingeschaltet.</numerusform>
            <numerusform>Die Datei ist ein gültiger Snapshot von %Ln Geräten, nennt aber weder Ereignisse noch Segmente: Als sie geschrieben wurde, war nichts allokiert, oder die Aufzeichnung war in diesem Prozess nicht eingeschaltet.</numerusform>
        </translation>
    </message>
    <message>
        <source>Call torch.cuda.memory._record_memory_history(max_entries=1_000_000) in the process that uses the GPU, before the model is built, and write the snapshot from the same process.</source>
        <translation>torch.cuda.memory._record_memory_history(max_entries=1_000_000) in dem Prozess aufrufen, der die GPU nutzt, bevor das Modell gebaut wird, und den Snapshot aus demselben Prozess schreiben.</translation>
    </message>
    <message>
        <source>Note: %1</source>
        <translation>Hinweis: %1</translation>
    </message>
    <message>
        <source>Save the pair as a case</source>
        <translation>Das Paar als Fall speichern</translation>
    </message>
    <message>
        <source>Case (*.case.json)</source>
        <translation>Fall (*.case.json)</translation>
    </message>
    <message>
        <source>The runs are still being compared; try again in a moment.</source>
        <translation>Die Läufe werden noch verglichen; gleich noch einmal versuchen.</translation>
    </message>
    <message>
        <source>Case written to %1</source>
        <translation>Fall geschrieben nach %1</translation>
    </message>
    <message>
        <source>Planned %1 · %2 × %3 (%4)</source>
        <translation>Geplant: %1 · %2 × %3 (%4)</translation>
    </message>
    <message>
        <source>%1 is a plan: no run was recorded.</source>
        <translation>%1 ist ein Plan: Kein Lauf wurde aufgezeichnet.</translation>
    </message>
    <message numerus="yes">
        <source>Drop %Ln file(s)</source>
        <translation>
            <numerusform>%Ln Datei ablegen</numerusform>
            <numerusform>%Ln Dateien ablegen</numerusform>
        </translation>
    </message>
    <message>
        <source>Drop to explain</source>
        <translation>Ablegen, um es zu erklären</translation>
    </message>
    <message>
        <source>Drop to use as the run&apos;s configuration</source>
        <translation>Ablegen als Konfiguration des Laufs</translation>
    </message>
    <message>
        <source>Drop to compare</source>
        <translation>Ablegen zum Vergleichen</translation>
    </message>
    <message>
        <source>Drop to open</source>
        <translation>Ablegen zum Öffnen</translation>
    </message>
    <message>
        <source>Drop to fetch</source>
        <translation>Ablegen zum Holen</translation>
    </message>
    <message>
        <source>Drop to open all ranks in it</source>
        <translation>Ablegen, um alle Ranks darin zu öffnen</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::MemoryMapPanel</name>
    <message>
        <source>%1 free</source>
        <translation>%1 frei</translation>
    </message>
    <message>
        <source>full</source>
        <translation>voll</translation>
    </message>
    <message>
        <source>free %1</source>
        <translation>frei %1</translation>
    </message>
    <message>
        <source>Simulated</source>
        <translation>Simuliert</translation>
    </message>
    <message>
        <source>Show where everything lies under %1, instead of where it lay</source>
        <translation>Zeigen, wo alles unter %1 liegt, statt wo es lag</translation>
    </message>
    <message>
        <source>No device is shown.</source>
        <translation>Kein Gerät wird gezeigt.</translation>
    </message>
    <message>
        <source>Under %1 the run is out of memory at event %2; what it would have done after that is not known.</source>
        <translation>Unter %1 geht dem Lauf bei Ereignis %2 der Speicher aus; was er danach getan hätte, ist nicht bekannt.</translation>
    </message>
    <message>
        <source>This file says nothing about segments on this device, so there is no map: only the timeline and the allocations can be shown.</source>
        <translation>Diese Datei sagt nichts über Segmente auf diesem Gerät, also gibt es kein Layout: Nur Zeitleiste und Allokationen lassen sich zeigen.</translation>
    </message>
    <message>
        <source>No memory is reserved at this event.</source>
        <translation>Bei diesem Ereignis ist kein Speicher reserviert.</translation>
    </message>
    <message>
        <source>Ctrl and the wheel zoom, dragging moves, arrow keys step through events; a click selects the allocation</source>
        <translation>Strg und Mausrad zoomen, Ziehen verschiebt, Pfeiltasten gehen durch die Ereignisse; ein Klick wählt die Allokation</translation>
    </message>
    <message>
        <source>as under %1</source>
        <translation>wie unter %1</translation>
    </message>
    <message>
        <source>the segment&apos;s edge</source>
        <translation>dem Rand des Segments</translation>
    </message>
    <message>
        <source>made before the trace</source>
        <translation>vor dem Trace angelegt</translation>
    </message>
    <message>
        <source>made at event %1</source>
        <translation>angelegt bei Ereignis %1</translation>
    </message>
    <message>
        <source>freed, but another stream may still be using it</source>
        <translation>freigegeben, aber vielleicht nutzt es noch ein anderer Stream</translation>
    </message>
    <message>
        <source>no stack was recorded</source>
        <translation>kein Stack wurde aufgezeichnet</translation>
    </message>
    <message>
        <source>called at %1</source>
        <translation>aufgerufen in %1</translation>
    </message>
    <message>
        <source>requested %1</source>
        <translation>angefordert %1</translation>
    </message>
    <message>
        <source>block %1</source>
        <translation>Block %1</translation>
    </message>
    <message>
        <source>block at least %1</source>
        <translation>Block mindestens %1</translation>
    </message>
    <message>
        <source>Free · %1</source>
        <translation>Frei · %1</translation>
    </message>
    <message>
        <source>after %1</source>
        <translation>hinter %1</translation>
    </message>
    <message>
        <source>before %1</source>
        <translation>vor %1</translation>
    </message>
    <message>
        <source>mapped pages of %1, %2</source>
        <translation>zugeordnete Seiten mit %1, %2</translation>
    </message>
    <message>
        <source>segment of %1, %2</source>
        <translation>Segment mit %1, %2</translation>
    </message>
    <message>
        <source>given back before the end, so its pool is not known</source>
        <translation>vor dem Ende zurückgegeben, der Pool ist daher unbekannt</translation>
    </message>
    <message>
        <source>stream %1</source>
        <translation>Stream %1</translation>
    </message>
    <message>
        <source>small</source>
        <translation>klein</translation>
    </message>
    <message>
        <source>large</source>
        <translation>groß</translation>
    </message>
    <message>
        <source>Private pool (graph %1), %2</source>
        <translation>Privater Pool (Graph %1), %2</translation>
    </message>
    <message>
        <source>Private pool (user %1), %2</source>
        <translation>Privater Pool (Benutzer %1), %2</translation>
    </message>
    <message>
        <source>Pool not known, %1</source>
        <translation>Pool unbekannt, %1</translation>
    </message>
    <message>
        <source>Small pool</source>
        <translation>Kleiner Pool</translation>
    </message>
    <message>
        <source>Large pool</source>
        <translation>Großer Pool</translation>
    </message>
    <message numerus="yes">
        <source>%Ln segment(s)</source>
        <translation>
            <numerusform>%Ln Segment</numerusform>
            <numerusform>%Ln Segmente</numerusform>
        </translation>
    </message>
    <message>
        <source>pending free</source>
        <translation>wartet auf Freigabe</translation>
    </message>
    <message>
        <source>no stack</source>
        <translation>kein Stack</translation>
    </message>
    <message>
        <source>Free %1 · before %2</source>
        <translation>Frei %1 · vor %2</translation>
    </message>
    <message>
        <source>The width stands for the largest segment of each pool.</source>
        <translation>Die Breite steht für das größte Segment des jeweiligen Pools.</translation>
    </message>
    <message>
        <source>reserved</source>
        <translation>reserviert</translation>
    </message>
    <message>
        <source>active</source>
        <translation>aktiv</translation>
    </message>
    <message>
        <source>of it pending</source>
        <translation>davon wartend</translation>
    </message>
    <message>
        <source>cached</source>
        <translation>im Cache</translation>
    </message>
    <message>
        <source>largest free block</source>
        <translation>größter freier Block</translation>
    </message>
    <message>
        <source>lost in holes</source>
        <translation>in Lücken verloren</translation>
    </message>
    <message>
        <source>reserved %1</source>
        <translation>reserviert %1</translation>
    </message>
    <message>
        <source>active %1, in whole blocks</source>
        <translation>aktiv %1, in ganzen Blöcken</translation>
    </message>
    <message>
        <source>cached (free inside segments) %1</source>
        <translation>im Cache (frei in Segmenten) %1</translation>
    </message>
    <message>
        <source>lost in holes: free outside the largest free block, of what is reserved; private pools left out</source>
        <translation>in Lücken verloren: frei außerhalb des größten freien Blocks, vom Reservierten; ohne private Pools</translation>
    </message>
    <message>
        <source>Some blocks may be larger than the file shows.</source>
        <translation>Manche Blöcke sind vielleicht größer, als die Datei zeigt.</translation>
    </message>
    <message>
        <source>%1, free at event %2</source>
        <translation>%1, frei bei Ereignis %2</translation>
    </message>
    <message>
        <source>%1, largest hole %2</source>
        <translation>%1, größte Lücke %2</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::MemoryMapView</name>
    <message>
        <source>Memory map</source>
        <translation>Speicherlayout</translation>
    </message>
    <message>
        <source>Segments with their blocks and holes. Left and right step through events, up and down through rows, plus and minus zoom, N and P select the next and previous block.</source>
        <translation>Segmente mit ihren Blöcken und Lücken. Links und rechts gehen durch die Ereignisse, oben und unten durch die Zeilen, Plus und Minus zoomen, N und P wählen den nächsten und vorigen Block.</translation>
    </message>
    <message>
        <source>Selected: %1</source>
        <translation>Ausgewählt: %1</translation>
    </message>
    <message>
        <source>One event back; ten with Shift</source>
        <translation>Ein Ereignis zurück; mit Umschalt zehn</translation>
    </message>
    <message>
        <source>One event on; ten with Shift</source>
        <translation>Ein Ereignis weiter; mit Umschalt zehn</translation>
    </message>
    <message>
        <source>Move the view to the left</source>
        <translation>Die Ansicht nach links verschieben</translation>
    </message>
    <message>
        <source>Move the view to the right</source>
        <translation>Die Ansicht nach rechts verschieben</translation>
    </message>
    <message>
        <source>Select the next block</source>
        <translation>Den nächsten Block wählen</translation>
    </message>
    <message>
        <source>Select the block before</source>
        <translation>Den vorigen Block wählen</translation>
    </message>
    <message>
        <source>Show the stack of the selected block</source>
        <translation>Den Stack des gewählten Blocks zeigen</translation>
    </message>
    <message>
        <source>Closer</source>
        <translation>Näher heran</translation>
    </message>
    <message>
        <source>Farther</source>
        <translation>Weiter weg</translation>
    </message>
    <message>
        <source>Whole segments again</source>
        <translation>Wieder ganze Segmente</translation>
    </message>
    <message>
        <source>To the first segment</source>
        <translation>Zum ersten Segment</translation>
    </message>
    <message>
        <source>To the last segment</source>
        <translation>Zum letzten Segment</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::Minimap</name>
    <message>
        <source>The whole trace; drag the frame to move or resize what is shown above</source>
        <translation>Der ganze Trace; den Rahmen ziehen, um zu verschieben oder zu ändern, was oben gezeigt wird</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::ModelPanel</name>
    <message>
        <source>at the cursor</source>
        <translation>am Cursor</translation>
    </message>
    <message>
        <source>at the peak</source>
        <translation>am Peak</translation>
    </message>
    <message>
        <source>Live bytes by part of the model and purpose</source>
        <translation>Belegte Bytes nach Teil des Modells und Zweck</translation>
    </message>
    <message>
        <source>Nothing is live at %1.</source>
        <translation>Bei %1 ist nichts belegt.</translation>
    </message>
    <message>
        <source>%1 at %2, by module and line</source>
        <translation>%1 bei %2, nach Modul und Zeile</translation>
    </message>
    <message>
        <source>%1 at %2, by size; no frames tell modules or lines</source>
        <translation>%1 bei %2, nach Größe; keine Frames verraten Module oder Zeilen</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::ModelTreeModel</name>
    <message>
        <source>The optimizer&apos;s state</source>
        <translation>Der Optimizer-Zustand</translation>
    </message>
    <message>
        <source>Activations saved for the backward pass</source>
        <translation>Für den Backward gespeicherte Aktivierungen</translation>
    </message>
    <message>
        <source>Inputs, caches, outputs, temporaries, workspaces and what has no label</source>
        <translation>Eingaben, Caches, Ausgaben, temporäre Tensoren, Workspaces und was kein Label hat</translation>
    </message>
    <message>
        <source>The size as a product of the program&apos;s dimensions</source>
        <translation>Die Größe als Produkt der Dimensionen des Programms</translation>
    </message>
    <message>
        <source>%1  ×%2 layers</source>
        <translation>%1  ×%2 Schichten</translation>
    </message>
    <message>
        <source>module, line or size</source>
        <translation>Modul, Zeile oder Größe</translation>
    </message>
    <message>
        <source>share</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>live</source>
        <translation>belegt</translation>
    </message>
    <message>
        <source>parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>Gradienten</translation>
    </message>
    <message>
        <source>state</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>saved</source>
        <translation>gespeichert</translation>
    </message>
    <message>
        <source>other</source>
        <translation>übrige</translation>
    </message>
    <message>
        <source>count</source>
        <translation>Anzahl</translation>
    </message>
    <message>
        <source>likely shape</source>
        <translation>vermutete Shape</translation>
    </message>
    <message>
        <source>size is</source>
        <translation>Größe ist</translation>
    </message>
    <message>
        <source>The order of the dimensions is not known.</source>
        <translation>Die Reihenfolge der Dimensionen ist nicht bekannt.</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::ModulesModel</name>
    <message>
        <source>%1   … = %2</source>
        <translation>%1   … = %2</translation>
    </message>
    <message>
        <source>nothing tells where</source>
        <translation>nichts verrät, wo</translation>
    </message>
    <message>
        <source>Largest allocation: %1</source>
        <translation>Größte Allokation: %1</translation>
    </message>
    <message>
        <source>bucket, module or line</source>
        <translation>Bucket, Modul oder Zeile</translation>
    </message>
    <message>
        <source>live</source>
        <translation>belegt</translation>
    </message>
    <message>
        <source>share</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>count</source>
        <translation>Anzahl</translation>
    </message>
    <message>
        <source>layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>likely shape</source>
        <translation>vermutete Shape</translation>
    </message>
    <message>
        <source>The order of the dimensions is not known.</source>
        <translation>Die Reihenfolge der Dimensionen ist nicht bekannt.</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::NotesModel</name>
    <message>
        <source>file</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>corrections</source>
        <translation>Korrekturen</translation>
    </message>
    <message>
        <source>where</source>
        <translation>wo</translation>
    </message>
    <message>
        <source>times</source>
        <translation>Anzahl</translation>
    </message>
    <message>
        <source>input note</source>
        <translation>Hinweis</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::NoticeStrip</name>
    <message>
        <source>Dismiss</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::OneUnit</name>
    <message>
        <source>equal</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>new</source>
        <translation>neu</translation>
    </message>
    <message>
        <source>gone</source>
        <translation>weg</translation>
    </message>
    <message>
        <source>under %1 %</source>
        <translation>unter %1 %</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::OutputFile</name>
    <message>
        <source>%1 cannot be written (%2); choose another folder or name.</source>
        <translation>%1 kann nicht geschrieben werden (%2); einen anderen Ordner oder Namen wählen.</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::PhasePeaksModel</name>
    <message>
        <source>all steps</source>
        <translation>alle Schritte</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>%1 after %2; at most %3; click to go there</source>
        <translation>%1 nach %2; höchstens %3; ein Klick springt dorthin</translation>
    </message>
    <message>
        <source>%1 after %2; click to go there</source>
        <translation>%1 nach %2; ein Klick springt dorthin</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::PlaceText</name>
    <message>
        <source>event</source>
        <translation>Ereignis</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::PlanCurve</name>
    <message>
        <source>Requested bytes over the planned steps</source>
        <translation>Angeforderte Bytes über die geplanten Schritte</translation>
    </message>
    <message>
        <source>planned: peak %1, %2</source>
        <translation>geplant: Peak %1, %2</translation>
    </message>
    <message>
        <source>the card has %1</source>
        <translation>die Karte hat %1</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::PlanDialog</name>
    <message>
        <source>Activation &amp;checkpointing of each layer</source>
        <translation>Activation &amp;Checkpointing jeder Schicht</translation>
    </message>
    <message>
        <source>&amp;Head and loss in parts (Liger)</source>
        <translation>&amp;Head und Loss in Teilen (Liger)</translation>
    </message>
    <message>
        <source>Tokens are divided &amp;between matrices, too</source>
        <translation>Tokens auch &amp;zwischen Matrizen aufteilen</translation>
    </message>
    <message>
        <source>Open as &amp;timeline</source>
        <translation>Als &amp;Zeitleiste öffnen</translation>
    </message>
    <message>
        <source>Plan a run</source>
        <translation>Einen Lauf planen</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>nicht bekannt</translation>
    </message>
    <message>
        <source>none: all weights are trained</source>
        <translation>keines: alle Gewichte werden trainiert</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>Batch</translation>
    </message>
    <message>
        <source>&amp;Precision</source>
        <translation>&amp;Präzision</translation>
    </message>
    <message>
        <source>&amp;Optimizer</source>
        <translation>&amp;Optimizer</translation>
    </message>
    <message>
        <source>&amp;Attention</source>
        <translation>&amp;Attention</translation>
    </message>
    <message>
        <source>&amp;LoRA</source>
        <translation>&amp;LoRA</translation>
    </message>
    <message>
        <source>&amp;Base in few bits</source>
        <translation>&amp;Basis in wenigen Bits</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPUs</translation>
    </message>
    <message>
        <source>Offload</source>
        <translation>Offload</translation>
    </message>
    <message>
        <source>One model on</source>
        <translation>Ein Modell auf</translation>
    </message>
    <message>
        <source>Car&amp;d</source>
        <translation>&amp;Karte</translation>
    </message>
    <message>
        <source>Show the planned run in the window as if it had been recorded</source>
        <translation>Den geplanten Lauf im Fenster zeigen, als wäre er aufgezeichnet</translation>
    </message>
    <message>
        <source>The budget of the planned run</source>
        <translation>Das Budget des geplanten Laufs</translation>
    </message>
    <message>
        <source>AdamW, fused or foreach</source>
        <translation>AdamW, fused oder foreach</translation>
    </message>
    <message>
        <source>config.json…</source>
        <translation>config.json…</translation>
    </message>
    <message>
        <source>Take a model&apos;s own configuration</source>
        <translation>Die eigene Konfiguration eines Modells nehmen</translation>
    </message>
    <message>
        <source>Sequences per forward on each GPU</source>
        <translation>Sequenzen je Forward auf jeder GPU</translation>
    </message>
    <message>
        <source>Tokens of a sequence</source>
        <translation>Tokens einer Sequenz</translation>
    </message>
    <message>
        <source> × accumulated</source>
        <translation> × akkumuliert</translation>
    </message>
    <message>
        <source>Micro-batches per optimizer step</source>
        <translation>Micro-Batches je Optimizer-Schritt</translation>
    </message>
    <message>
        <source>ZeRO </source>
        <translation>ZeRO </translation>
    </message>
    <message>
        <source>nothing sharded</source>
        <translation>nichts aufgeteilt</translation>
    </message>
    <message>
        <source>Stage of ZeRO; 3 is FSDP&apos;s full sharding, too</source>
        <translation>Stage von ZeRO; 3 ist auch das volle Sharding von FSDP</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>states</source>
        <translation>Zustände</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>tensor × </source>
        <translation>Tensor × </translation>
    </message>
    <message>
        <source>pipeline × </source>
        <translation>Pipeline × </translation>
    </message>
    <message>
        <source>context × </source>
        <translation>Kontext × </translation>
    </message>
    <message>
        <source>experts × </source>
        <translation>Experten × </translation>
    </message>
    <message>
        <source>A model&apos;s configuration</source>
        <translation>Konfiguration eines Modells</translation>
    </message>
    <message>
        <source>Configurations (*.json);;All files (*)</source>
        <translation>Konfigurationen (*.json);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>The file cannot be read as a configuration.</source>
        <translation>Die Datei lässt sich nicht als Konfiguration lesen.</translation>
    </message>
    <message>
        <source>Be&amp;side %1</source>
        <translation>&amp;Neben %1</translation>
    </message>
    <message>
        <source>Activation, loss and loop written b&amp;y hand</source>
        <translation>Aktivierung, Loss und Schleife selbst geschrie&amp;ben</translation>
    </message>
    <message>
        <source>not quantized</source>
        <translation>nicht quantisiert</translation>
    </message>
    <message numerus="yes">
        <source> sequence(s)</source>
        <translation>
            <numerusform> Sequenz</numerusform>
            <numerusform> Sequenzen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source> token(s)</source>
        <translation>
            <numerusform> Token</numerusform>
            <numerusform> Tokens</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: on the GPU</source>
        <translation>%1: auf der GPU</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::QueryEdit</name>
    <message>
        <source>%1  —  %2, %3</source>
        <translation>%1  —  %2, %3</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::RangePanel</name>
    <message>
        <source>Zoom to it</source>
        <translation>Darauf zoomen</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Aufheben</translation>
    </message>
    <message>
        <source>Changes in the selected range, by bucket</source>
        <translation>Änderungen im ausgewählten Bereich, nach Bucket</translation>
    </message>
    <message>
        <source>Changes in the selected range, by stack</source>
        <translation>Änderungen im ausgewählten Bereich, nach Stack</translation>
    </message>
    <message>
        <source>Hold Shift and drag over the timeline to select a range; what came and what went in it then stands here.</source>
        <translation>Mit gedrückter Umschalttaste über die Zeitleiste ziehen, um einen Bereich auszuwählen; was darin kam und ging, steht dann hier.</translation>
    </message>
    <message>
        <source>%1 in the range</source>
        <translation>%1 im Bereich</translation>
    </message>
    <message numerus="yes">
        <source>After %1 up to %2: %Ln event(s)</source>
        <translation>
            <numerusform>Nach %1 bis %2: %Ln Ereignis</numerusform>
            <numerusform>Nach %1 bis %2: %Ln Ereignisse</numerusform>
        </translation>
    </message>
    <message>
        <source>%1; largest total %2, change %3</source>
        <translation>%1; größte Summe %2, Änderung %3</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::RankBands</name>
    <message>
        <source>Memory of each rank</source>
        <translation>Speicher jedes Ranks</translation>
    </message>
    <message>
        <source>Select the next rank</source>
        <translation>Den nächsten Rank wählen</translation>
    </message>
    <message>
        <source>Select the rank before</source>
        <translation>Den vorigen Rank wählen</translation>
    </message>
    <message>
        <source>Select the next outlier</source>
        <translation>Den nächsten Ausreißer wählen</translation>
    </message>
    <message>
        <source>Select the outlier before</source>
        <translation>Den vorigen Ausreißer wählen</translation>
    </message>
    <message>
        <source>Compare the selected rank with its median rank</source>
        <translation>Den gewählten Rank mit seinem Median-Rank vergleichen</translation>
    </message>
    <message>
        <source>Open the selected rank</source>
        <translation>Den gewählten Rank öffnen</translation>
    </message>
    <message>
        <source>Double click</source>
        <translation>Doppelklick</translation>
    </message>
    <message>
        <source>Open a rank</source>
        <translation>Einen Rank öffnen</translation>
    </message>
    <message>
        <source>Ctrl and click</source>
        <translation>Strg und Klick</translation>
    </message>
    <message>
        <source>Compare the selected rank with another</source>
        <translation>Den gewählten Rank mit einem anderen vergleichen</translation>
    </message>
    <message>
        <source>start</source>
        <translation>Beginn</translation>
    </message>
    <message>
        <source>OOM</source>
        <translation>OOM</translation>
    </message>
    <message>
        <source>differs</source>
        <translation>weicht ab</translation>
    </message>
    <message>
        <source>peak %1</source>
        <translation>Peak %1</translation>
    </message>
    <message>
        <source>peak %1 (%2)</source>
        <translation>Peak %1 (%2)</translation>
    </message>
    <message>
        <source>0 to %1</source>
        <translation>0 bis %1</translation>
    </message>
    <message>
        <source>Show less of the axis, in more detail</source>
        <translation>Weniger von der Achse zeigen, dafür genauer</translation>
    </message>
    <message>
        <source>Show more of the axis</source>
        <translation>Mehr von der Achse zeigen</translation>
    </message>
    <message>
        <source>Show all of the axis</source>
        <translation>Die ganze Achse zeigen</translation>
    </message>
    <message>
        <source>Show what is to the left</source>
        <translation>Zeigen, was links davon liegt</translation>
    </message>
    <message>
        <source>Show what is to the right</source>
        <translation>Zeigen, was rechts davon liegt</translation>
    </message>
    <message>
        <source>Ctrl and wheel</source>
        <translation>Strg und Mausrad</translation>
    </message>
    <message>
        <source>Zoom where the mouse is</source>
        <translation>Zoomen, wo die Maus ist</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::RankTable</name>
    <message>
        <source>less</source>
        <translation>weniger</translation>
    </message>
    <message>
        <source>more than the median rank</source>
        <translation>mehr als der Median-Rank</translation>
    </message>
    <message>
        <source>Against the median</source>
        <translation>Gegen den Median</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>By stage</source>
        <translation>Nach Stufe</translation>
    </message>
    <message>
        <source>What each rank holds</source>
        <translation>Was jeder Rank belegt</translation>
    </message>
    <message>
        <source>The colour is full where a rank holds half as much more, or half as much less, as its median rank holds in all.</source>
        <translation>Die Farbe ist voll, wo der Unterschied halb so groß ist wie alles, was der Median-Rank belegt.</translation>
    </message>
    <message>
        <source>Bytes (%1)</source>
        <translation>Bytes (%1)</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::RankTableModel</name>
    <message>
        <source>none</source>
        <translation>nichts</translation>
    </message>
    <message>
        <source>Failed request</source>
        <translation>Gescheiterte Anforderung</translation>
    </message>
    <message>
        <source>%1, %2: %3</source>
        <translation>%1, %2: %3</translation>
    </message>
    <message>
        <source>%1, the median: %2 (%3)</source>
        <translation>%1, der Median: %2 (%3)</translation>
    </message>
    <message>
        <source>dp %1</source>
        <translation>dp %1</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>Stufe %1</translation>
    </message>
    <message>
        <source>All at once</source>
        <translation>Alles zugleich</translation>
    </message>
    <message>
        <source>when its request failed: %1</source>
        <translation>als die Anforderung scheiterte: %1</translation>
    </message>
    <message>
        <source>at its peak: %1</source>
        <translation>am Peak: %1</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::RelabelActions</name>
    <message>
        <source>Rules (%1)</source>
        <translation>Regeln (%1)</translation>
    </message>
    <message>
        <source>Relabel as %1</source>
        <translation>Label ändern in %1</translation>
    </message>
    <message>
        <source>The snapshot&apos;s folder cannot be written to, so the corrections are kept in %1.</source>
        <translation>In den Ordner des Snapshots kann nicht geschrieben werden; die Korrekturen liegen deshalb in %1.</translation>
    </message>
    <message>
        <source>Another window saved corrections of this snapshot meanwhile; the list now holds those of both.</source>
        <translation>Ein anderes Fenster hat inzwischen Korrekturen zu diesem Snapshot gespeichert; die Liste enthält jetzt die von beiden.</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Wiederholen</translation>
    </message>
    <message>
        <source>Re&amp;label the Selected Allocation…</source>
        <translation>&amp;Label der ausgewählten Allokation ändern…</translation>
    </message>
    <message>
        <source>L&amp;oad Rules…</source>
        <translation>Regeln la&amp;den…</translation>
    </message>
    <message>
        <source>&amp;Save Rules As…</source>
        <translation>Regeln &amp;speichern unter…</translation>
    </message>
    <message>
        <source>Select an allocation first: under “Largest alive”, in the list of allocations, in the memory map or among single allocations.</source>
        <translation>Zuerst eine Allokation auswählen: unter „Größte Allokationen“, in der Liste der Allokationen, im Speicherlayout oder unter den einzelnen Allokationen.</translation>
    </message>
    <message>
        <source>This &amp;Allocation Is</source>
        <translation>Diese &amp;Allokation ist</translation>
    </message>
    <message>
        <source>Everything from This &amp;Stack Is</source>
        <translation>Alles aus diesem &amp;Stack ist</translation>
    </message>
    <message>
        <source>Re&amp;label…</source>
        <translation>&amp;Label ändern…</translation>
    </message>
    <message>
        <source>Load rules</source>
        <translation>Regeln laden</translation>
    </message>
    <message>
        <source>;;All files (*)</source>
        <translation>;;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Save the rules</source>
        <translation>Die Regeln speichern</translation>
    </message>
    <message>
        <source>Load Rules</source>
        <translation>Regeln laden</translation>
    </message>
    <message numerus="yes">
        <source>%Ln rule(s) of %1 are applied.</source>
        <translation>
            <numerusform>%Ln Regel aus %1 wird angewandt.</numerusform>
            <numerusform>%Ln Regeln aus %1 werden angewandt.</numerusform>
        </translation>
    </message>
    <message>
        <source>Rules written to %1</source>
        <translation>Regeln geschrieben nach %1</translation>
    </message>
    <message>
        <source>%1 holds rules for labels; open a snapshot first.</source>
        <translation>%1 enthält Regeln für Labels; zuerst einen Snapshot öffnen.</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::RelabelDialog</name>
    <message>
        <source>Relabel</source>
        <translation>Label ändern</translation>
    </message>
    <message>
        <source>%1, so far %2: %3</source>
        <translation>%1, bisher %2: %3</translation>
    </message>
    <message>
        <source>%1 % sure</source>
        <translation>zu %1 % sicher</translation>
    </message>
    <message>
        <source>Edit the correction</source>
        <translation>Die Korrektur bearbeiten</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>&amp;This allocation</source>
        <translation>&amp;Diese Allokation</translation>
    </message>
    <message>
        <source>Everything from this &amp;stack</source>
        <translation>Alles aus diesem &amp;Stack</translation>
    </message>
    <message>
        <source>Everything from this stack (none was recorded)</source>
        <translation>Alles aus diesem Stack (keiner wurde aufgezeichnet)</translation>
    </message>
    <message>
        <source>Everything that &amp;matches</source>
        <translation>Alles, was &amp;passt</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>Wo</translation>
    </message>
    <message>
        <source>Function has</source>
        <translation>Funktion enthält</translation>
    </message>
    <message>
        <source>any</source>
        <translation>beliebig</translation>
    </message>
    <message>
        <source>File has</source>
        <translation>Datei enthält</translation>
    </message>
    <message>
        <source>At least</source>
        <translation>Mindestens</translation>
    </message>
    <message>
        <source>any size; or such as 4096, 1.5 MiB</source>
        <translation>jede Größe; oder etwa 4096, 1,5 MiB</translation>
    </message>
    <message>
        <source>At most</source>
        <translation>Höchstens</translation>
    </message>
    <message>
        <source>So far</source>
        <translation>Bisher</translation>
    </message>
    <message>
        <source>Made in</source>
        <translation>Angelegt im</translation>
    </message>
    <message>
        <source>for yourself and for those who read the report</source>
        <translation>als Gedächtnisstütze und für alle, die den Bericht lesen</translation>
    </message>
    <message>
        <source>&amp;Is</source>
        <translation>&amp;Ist</translation>
    </message>
    <message>
        <source>&amp;Role</source>
        <translation>&amp;Rolle</translation>
    </message>
    <message>
        <source>&amp;Why</source>
        <translation>&amp;Warum</translation>
    </message>
    <message>
        <source>as it is</source>
        <translation>unverändert</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is no size; write it like 4096 or 1.5 MiB.</source>
        <translation>„%1“ ist keine Größe; bitte schreiben wie 4096 oder 1,5 MiB.</translation>
    </message>
    <message>
        <source>Give at least one condition.</source>
        <translation>Mindestens eine Bedingung angeben.</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::RemoteActions</name>
    <message>
        <source>%1; shown is the first %2</source>
        <translation>%1; gezeigt werden die ersten %2</translation>
    </message>
    <message>
        <source>Stopped; what had come of %1 stays. Open it again to fetch the rest.</source>
        <translation>Angehalten; was von %1 angekommen ist, bleibt. Erneut öffnen, um den Rest zu holen.</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::RemoteDialog</name>
    <message>
        <source>&amp;Open</source>
        <translation>Ö&amp;ffnen</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>&amp;Anhalten</translation>
    </message>
    <message>
        <source>Open remote</source>
        <translation>Von anderem Rechner öffnen</translation>
    </message>
    <message>
        <source>user@host:runs/snapshot.pickle, or a folder</source>
        <translation>user@host:runs/snapshot.pickle oder ein Ordner</translation>
    </message>
    <message>
        <source>Snapshots of the folder</source>
        <translation>Snapshots des Ordners</translation>
    </message>
    <message>
        <source>How much has come</source>
        <translation>Wie viel angekommen ist</translation>
    </message>
    <message>
        <source>&amp;Address</source>
        <translation>A&amp;dresse</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>&amp;Schließen</translation>
    </message>
    <message>
        <source>Your own ssh fetches it, with its keys, its configuration and its jump hosts. A copy is kept and used again until the file changes there.</source>
        <translation>Das eigene ssh holt die Datei, mit seinen Schlüsseln, seiner Konfiguration und seinen Jump-Hosts. Eine Kopie bleibt hier und wird weiter benutzt, bis sich die Datei dort ändert.</translation>
    </message>
    <message>
        <source>Stopped; what had come is kept for the next time.</source>
        <translation>Angehalten; was angekommen ist, bleibt für das nächste Mal.</translation>
    </message>
    <message>
        <source>Select the snapshots to open.</source>
        <translation>Die Snapshots auswählen, die geöffnet werden sollen.</translation>
    </message>
    <message>
        <source>That is no address; write user@host:path or ssh://user@host:port/path.</source>
        <translation>Das ist keine Adresse; bitte user@host:pfad oder ssh://user@host:port/pfad schreiben.</translation>
    </message>
    <message>
        <source>Connecting to %1…</source>
        <translation>Verbindet mit %1…</translation>
    </message>
    <message>
        <source>The folder has no snapshots; write another path.</source>
        <translation>Der Ordner enthält keine Snapshots; bitte einen anderen Pfad schreiben.</translation>
    </message>
    <message numerus="yes">
        <source>The newest is first. Selected are the %Ln rank(s) of one job, %1: they open together.</source>
        <translation>
            <numerusform>Der neueste steht oben. Ausgewählt ist %Ln Rank eines Jobs, %1.</numerusform>
            <numerusform>Der neueste steht oben. Ausgewählt sind die %Ln Ranks eines Jobs, %1: Sie öffnen sich zusammen.</numerusform>
        </translation>
    </message>
    <message>
        <source>The newest is first. Select one, or several to open them together.</source>
        <translation>Der neueste steht oben. Einen auswählen oder mehrere, um sie zusammen zu öffnen.</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::Report</name>
    <message>
        <source>Cached</source>
        <translation>Im Cache</translation>
    </message>
    <message>
        <source>Reserved</source>
        <translation>Reserviert</translation>
    </message>
    <message>
        <source>Sum of the difference</source>
        <translation>Summe der Differenz</translation>
    </message>
    <message>
        <source>Writing the report was cancelled.</source>
        <translation>Das Schreiben des Berichts wurde abgebrochen.</translation>
    </message>
    <message>
        <source>%1 and %2</source>
        <translation>%1 und %2</translation>
    </message>
    <message>
        <source>Page %1 of %2</source>
        <translation>Seite %1 von %2</translation>
    </message>
    <message>
        <source>Memory report · %1</source>
        <translation>Speicherbericht · %1</translation>
    </message>
    <message>
        <source>The pages of the report could not be painted.</source>
        <translation>Die Seiten des Berichts konnten nicht gezeichnet werden.</translation>
    </message>
    <message>
        <source>A report holds one run or two runs to compare.</source>
        <translation>Ein Bericht enthält einen Lauf oder zwei verglichene Läufe.</translation>
    </message>
    <message>
        <source>The file is still being read; write the report when it is open.</source>
        <translation>Die Datei wird noch gelesen; den Bericht schreiben, sobald sie offen ist.</translation>
    </message>
    <message>
        <source>Memory report: %1</source>
        <translation>Speicherbericht: %1</translation>
    </message>
    <message>
        <source>Free in private pools</source>
        <translation>Frei in privaten Pools</translation>
    </message>
    <message>
        <source>Capacity</source>
        <translation>Kapazität</translation>
    </message>
    <message>
        <source>Capacity, out of memory</source>
        <translation>Kapazität, Out of Memory</translation>
    </message>
    <message>
        <source>median</source>
        <translation>Median</translation>
    </message>
    <message>
        <source>ran out</source>
        <translation>Speicher aus</translation>
    </message>
    <message>
        <source>peak %1</source>
        <translation>Peak %1</translation>
    </message>
    <message>
        <source>Out of memory</source>
        <translation>Out of Memory</translation>
    </message>
    <message>
        <source>time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>active %1, hatched: cached %2</source>
        <translation>aktiv %1, schraffiert: im Cache %2</translation>
    </message>
    <message>
        <source>active %1</source>
        <translation>aktiv %1</translation>
    </message>
    <message>
        <source>reserved %1</source>
        <translation>reserviert %1</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>%1 of step %2</source>
        <translation>%1 in Schritt %2</translation>
    </message>
    <message>
        <source>start of the trace</source>
        <translation>Anfang des Trace</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>Belegt</translation>
    </message>
    <message>
        <source>Mostly</source>
        <translation>Meist</translation>
    </message>
    <message>
        <source>Line of code</source>
        <translation>Codezeile</translation>
    </message>
    <message>
        <source>(no stack recorded)</source>
        <translation>(kein Stack aufgezeichnet)</translation>
    </message>
    <message numerus="yes">
        <source>%Ln other line(s)</source>
        <translation>
            <numerusform>%Ln weitere Zeile</numerusform>
            <numerusform>%Ln weitere Zeilen</numerusform>
        </translation>
    </message>
    <message>
        <source>By line of code</source>
        <translation>Nach Codezeile</translation>
    </message>
    <message>
        <source>from before the trace</source>
        <translation>von vor dem Trace</translation>
    </message>
    <message>
        <source>no stack recorded</source>
        <translation>kein Stack aufgezeichnet</translation>
    </message>
    <message numerus="yes">
        <source>and %Ln more frame(s)</source>
        <translation>
            <numerusform>und %Ln weiterer Frame</numerusform>
            <numerusform>und %Ln weitere Frames</numerusform>
        </translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Bucket</source>
        <translation>Bucket</translation>
    </message>
    <message>
        <source>Made by</source>
        <translation>Angelegt von</translation>
    </message>
    <message>
        <source>%1 alike: %2</source>
        <translation>%1 gleiche: %2</translation>
    </message>
    <message>
        <source>Largest allocations, the user&apos;s frames first</source>
        <translation>Größte Allokationen, eigene Frames zuerst</translation>
    </message>
    <message>
        <source>What was alive just before the out-of-memory event</source>
        <translation>Was unmittelbar vor dem Out-of-Memory-Ereignis belegt war</translation>
    </message>
    <message>
        <source>What was alive at the dump</source>
        <translation>Was beim Dump belegt war</translation>
    </message>
    <message>
        <source>What was alive at the peak</source>
        <translation>Was am Peak belegt war</translation>
    </message>
    <message numerus="yes">
        <source>%Ln allocation(s), together %1.</source>
        <translation>
            <numerusform>%Ln Allokation, zusammen %1.</numerusform>
            <numerusform>%Ln Allokationen, zusammen %1.</numerusform>
        </translation>
    </message>
    <message>
        <source>Moment</source>
        <translation>Moment</translation>
    </message>
    <message>
        <source>Active</source>
        <translation>Aktiv</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>Bookmarks</source>
        <translation>Lesezeichen</translation>
    </message>
    <message>
        <source>Moments that a person marked; the flags of the timeline are theirs.</source>
        <translation>Von Hand markierte Momente; die Fähnchen der Zeitleiste gehören zu ihnen.</translation>
    </message>
    <message>
        <source>At the dump</source>
        <translation>Beim Dump</translation>
    </message>
    <message>
        <source>At the peak, %1</source>
        <translation>Am Peak, %1</translation>
    </message>
    <message>
        <source>Before the OOM, %1</source>
        <translation>Vor dem OOM, %1</translation>
    </message>
    <message>
        <source>At the end, %1</source>
        <translation>Am Ende, %1</translation>
    </message>
    <message>
        <source>Active, requested bytes</source>
        <translation>Aktiv, angeforderte Bytes</translation>
    </message>
    <message>
        <source>Cached (reserved − active)</source>
        <translation>Im Cache (reserviert − aktiv)</translation>
    </message>
    <message>
        <source>Free inside private pools</source>
        <translation>Frei in privaten Pools</translation>
    </message>
    <message>
        <source>Free on the card</source>
        <translation>Auf der Karte frei</translation>
    </message>
    <message>
        <source>Asked for, and refused</source>
        <translation>Angefordert und verweigert</translation>
    </message>
    <message>
        <source>What filled the memory</source>
        <translation>Was den Speicher gefüllt hat</translation>
    </message>
    <message>
        <source>Event</source>
        <translation>Ereignis</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>Wo</translation>
    </message>
    <message>
        <source>Asked for</source>
        <translation>Angefordert</translation>
    </message>
    <message>
        <source>Out-of-memory events</source>
        <translation>Out-of-Memory-Ereignisse</translation>
    </message>
    <message numerus="yes">
        <source>The trace records %Ln refused request(s).</source>
        <translation>
            <numerusform>Der Trace enthält %Ln verweigerte Anforderung.</numerusform>
            <numerusform>Der Trace enthält %Ln verweigerte Anforderungen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The trace records %Ln refused request(s); the last %1 are listed.</source>
        <translation>
            <numerusform>Der Trace enthält %Ln verweigerte Anforderung; die letzten %1 sind aufgeführt.</numerusform>
            <numerusform>Der Trace enthält %Ln verweigerte Anforderungen; die letzten %1 sind aufgeführt.</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 short</source>
        <translation>es fehlen %1</translation>
    </message>
    <message>
        <source>At the moment that counts</source>
        <translation>Im entscheidenden Moment</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>Davor</translation>
    </message>
    <message>
        <source>After</source>
        <translation>Danach</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>Spare</source>
        <translation>Spielraum</translation>
    </message>
    <message>
        <source>The budget before and after</source>
        <translation>Das Budget davor und danach</translation>
    </message>
    <message>
        <source>What the run needs from the card as it was recorded, and after “%1”. After the change it needs %2 in all.</source>
        <translation>Was der Lauf von der Karte braucht, wie er aufgezeichnet wurde und nach „%1“. Nach der Änderung braucht er insgesamt %2.</translation>
    </message>
    <message>
        <source>Comparison</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Two runs compared</source>
        <translation>Zwei Läufe im Vergleich</translation>
    </message>
    <message>
        <source>Mind</source>
        <translation>Zu beachten</translation>
    </message>
    <message>
        <source>Both runs and what %1 holds more, on one axis</source>
        <translation>Beide Läufe und was %1 mehr hält, auf einer Achse</translation>
    </message>
    <message>
        <source>The axis counts events and is stretched so that the same places of both runs lie above each other; both have one scale of bytes.</source>
        <translation>Die Achse zählt Ereignisse und ist so gestreckt, dass gleiche Stellen beider Läufe übereinanderliegen; beide haben dieselbe Byte-Skala.</translation>
    </message>
    <message>
        <source>Place and operation</source>
        <translation>Stelle und Operation</translation>
    </message>
    <message>
        <source>What · why</source>
        <translation>Was · warum</translation>
    </message>
    <message numerus="yes">
        <source>%Ln other place(s)</source>
        <translation>
            <numerusform>%Ln weitere Stelle</numerusform>
            <numerusform>%Ln weitere Stellen</numerusform>
        </translation>
    </message>
    <message>
        <source>Where they differ</source>
        <translation>Wo sie sich unterscheiden</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Nothing that the files state or show differs.</source>
        <translation>Nichts, was die Dateien nennen oder zeigen, unterscheidet sich.</translation>
    </message>
    <message>
        <source>Settings that differ</source>
        <translation>Abweichende Einstellungen</translation>
    </message>
    <message>
        <source>At least one of the files holds no memory of a device, so there is nothing to compare.</source>
        <translation>Mindestens eine der Dateien enthält keinen Speicher eines Geräts, also gibt es nichts zu vergleichen.</translation>
    </message>
    <message>
        <source>What explains it</source>
        <translation>Was es erklärt</translation>
    </message>
    <message>
        <source>Allocator</source>
        <translation>Allocator</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>Is</source>
        <translation>Ist</translation>
    </message>
    <message>
        <source>Allocations</source>
        <translation>Allokationen</translation>
    </message>
    <message>
        <source>At the peak</source>
        <translation>Am Peak</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Warum</translation>
    </message>
    <message>
        <source>Corrections</source>
        <translation>Korrekturen</translation>
    </message>
    <message>
        <source>What a person has corrected, in the order in which it applies; later ones win. All figures of this report follow them.</source>
        <translation>Von Hand Korrigiertes in der Reihenfolge der Anwendung; spätere haben Vorrang. Alle Zahlen dieses Berichts richten sich danach.</translation>
    </message>
    <message>
        <source>%1 · score %2 · %3</source>
        <translation>%1 · Wert %2 · %3</translation>
    </message>
    <message>
        <source>not known whether it fits</source>
        <translation>unbekannt, ob es passt</translation>
    </message>
    <message>
        <source>short by %1</source>
        <translation>es fehlen %1</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>passt nicht</translation>
    </message>
    <message>
        <source>fits, at least %1 free</source>
        <translation>passt, mindestens %1 frei</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>passt</translation>
    </message>
    <message>
        <source>changes the experiment</source>
        <translation>ändert das Experiment</translation>
    </message>
    <message>
        <source>Cost:</source>
        <translation>Kosten:</translation>
    </message>
    <message>
        <source>Check again:</source>
        <translation>Erneut prüfen:</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>Rang</translation>
    </message>
    <message>
        <source>Saves</source>
        <translation>Spart</translation>
    </message>
    <message>
        <source>Needs</source>
        <translation>Braucht</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Lines to paste</source>
        <translation>Zeilen zum Einfügen</translation>
    </message>
    <message>
        <source>From the error message</source>
        <translation>Aus der Fehlermeldung</translation>
    </message>
    <message>
        <source>Tried to allocate (the segment, not the tensor)</source>
        <translation>Versuchte Allokation (das Segment, nicht der Tensor)</translation>
    </message>
    <message>
        <source>Capacity of the card</source>
        <translation>Kapazität der Karte</translation>
    </message>
    <message>
        <source>Free</source>
        <translation>Frei</translation>
    </message>
    <message>
        <source>Allocated by PyTorch</source>
        <translation>Von PyTorch allokiert</translation>
    </message>
    <message>
        <source>Reserved by PyTorch</source>
        <translation>Von PyTorch reserviert</translation>
    </message>
    <message>
        <source>Reserved but unallocated</source>
        <translation>Reserviert, aber nicht allokiert</translation>
    </message>
    <message>
        <source>In private pools</source>
        <translation>In privaten Pools</translation>
    </message>
    <message>
        <source>Allowed</source>
        <translation>Erlaubt</translation>
    </message>
    <message>
        <source>In use by this process</source>
        <translation>Von diesem Prozess benutzt</translation>
    </message>
    <message>
        <source>In use by process %1</source>
        <translation>Von Prozess %1 benutzt</translation>
    </message>
    <message>
        <source>What to change, cheapest first</source>
        <translation>Was zu ändern ist, das Günstigste zuerst</translation>
    </message>
    <message>
        <source>Each figure comes from recomputing this file&apos;s timeline with the affected allocations changed, one change at a time. The peak may move.</source>
        <translation>Für jede Zahl wurde die Zeitleiste dieser Datei mit den geänderten Allokationen neu berechnet, eine Änderung nach der anderen. Der Peak kann sich verschieben.</translation>
    </message>
    <message>
        <source>Configuration of the run, %1:</source>
        <translation>Konfiguration des Laufs, %1:</translation>
    </message>
    <message>
        <source>Why not here</source>
        <translation>Warum nicht hier</translation>
    </message>
    <message>
        <source>Changes looked at and set aside</source>
        <translation>Geprüfte und verworfene Änderungen</translation>
    </message>
    <message>
        <source>protocol %1</source>
        <translation>Protokoll %1</translation>
    </message>
    <message>
        <source>read by the %1 reader</source>
        <translation>gelesen vom Reader „%1“</translation>
    </message>
    <message>
        <source>the events carry no times</source>
        <translation>die Ereignisse tragen keine Zeiten</translation>
    </message>
    <message>
        <source>%1: events %2 to %3</source>
        <translation>%1: Ereignisse %2 bis %3</translation>
    </message>
    <message>
        <source>… %1 in all</source>
        <translation>… insgesamt %1</translation>
    </message>
    <message>
        <source>the trace ends at the file&apos;s own sum of live bytes</source>
        <translation>der Trace endet bei der Summe belegter Bytes, die die Datei selbst nennt</translation>
    </message>
    <message>
        <source>the trace does not end at the file&apos;s own sum of live bytes</source>
        <translation>der Trace endet nicht bei der Summe belegter Bytes, die die Datei selbst nennt</translation>
    </message>
    <message>
        <source>no contradictions</source>
        <translation>keine Widersprüche</translation>
    </message>
    <message numerus="yes">
        <source>%Ln place(s) where trace and segments contradict each other</source>
        <translation>
            <numerusform>%Ln Stelle, an der sich Trace und Segmente widersprechen</numerusform>
            <numerusform>%Ln Stellen, an denen sich Trace und Segmente widersprechen</numerusform>
        </translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>Ereignisse</translation>
    </message>
    <message>
        <source>Actions</source>
        <translation>Aktionen</translation>
    </message>
    <message>
        <source>Recorded time</source>
        <translation>Aufgezeichnete Zeit</translation>
    </message>
    <message>
        <source>Segments at the dump</source>
        <translation>Segmente beim Dump</translation>
    </message>
    <message numerus="yes">
        <source>%1, with %Ln block(s)</source>
        <translation>
            <numerusform>%1, mit %Ln Block</numerusform>
            <numerusform>%1, mit %Ln Blöcken</numerusform>
        </translation>
    </message>
    <message>
        <source>Requested at the start</source>
        <translation>Am Anfang angefordert</translation>
    </message>
    <message>
        <source>Requested at the end</source>
        <translation>Am Ende angefordert</translation>
    </message>
    <message>
        <source>Reserved at the end</source>
        <translation>Am Ende reserviert</translation>
    </message>
    <message>
        <source>Agreement</source>
        <translation>Übereinstimmung</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Allocator settings</source>
        <translation>Allocator-Einstellungen</translation>
    </message>
    <message>
        <source>not in the file</source>
        <translation>nicht in der Datei</translation>
    </message>
    <message>
        <source>none given</source>
        <translation>keine angegeben</translation>
    </message>
    <message>
        <source>unlimited</source>
        <translation>unbegrenzt</translation>
    </message>
    <message>
        <source>Input notes</source>
        <translation>Hinweise zur Eingabe</translation>
    </message>
    <message>
        <source>Nothing odd was met while reading this file.</source>
        <translation>Beim Lesen dieser Datei fiel nichts auf.</translation>
    </message>
    <message>
        <source>Requested</source>
        <translation>Angefordert</translation>
    </message>
    <message>
        <source>Bytes the program asked for. Bands, buckets and peaks count these.</source>
        <translation>Bytes, die das Programm verlangt hat. Bänder, Buckets und Peaks zählen diese.</translation>
    </message>
    <message>
        <source>The sum of all live allocations, including those freed but still awaited by a stream.</source>
        <translation>Die Summe aller belegten Allokationen, auch der freigegebenen, auf die noch ein Stream wartet.</translation>
    </message>
    <message>
        <source>What PyTorch holds of the card: the sum of its segments. nvidia-smi shows this plus memory outside PyTorch (the CUDA context, NCCL, other libraries and processes).</source>
        <translation>Was PyTorch von der Karte hält: die Summe seiner Segmente. nvidia-smi zeigt dies und Speicher außerhalb von PyTorch (CUDA-Kontext, NCCL, andere Bibliotheken und Prozesse).</translation>
    </message>
    <message>
        <source>Reserved minus active: held by PyTorch, but in use by no tensor. It is reused only where a hole is large enough. It includes what rounding to block sizes costs.</source>
        <translation>Reserviert minus aktiv: von PyTorch gehalten, aber von keinem Tensor benutzt. Wiederverwendet wird es nur, wo eine Lücke groß genug ist. Enthalten ist, was das Runden auf Blockgrößen kostet.</translation>
    </message>
    <message>
        <source>Peak</source>
        <translation>Peak</translation>
    </message>
    <message>
        <source>The first moment of the largest active total on the device.</source>
        <translation>Der erste Moment mit der größten aktiven Summe auf dem Gerät.</translation>
    </message>
    <message>
        <source>OOM event</source>
        <translation>OOM-Ereignis</translation>
    </message>
    <message>
        <source>A request that the allocator refused. Figures at an OOM are those just before it.</source>
        <translation>Eine Anforderung, die der Allocator verweigert hat. Zahlen zu einem OOM gelten unmittelbar davor.</translation>
    </message>
    <message>
        <source>Need</source>
        <translation>Bedarf</translation>
    </message>
    <message>
        <source>Active just before the OOM, plus the refused request, plus what is known to follow in the step. A run that died never reached its true peak.</source>
        <translation>Unmittelbar vor dem OOM aktiv, dazu die verweigerte Anforderung und was im Schritt sicher noch folgt. Ein abgebrochener Lauf hat seinen wahren Peak nie erreicht.</translation>
    </message>
    <message>
        <source>What this process could have got from the card.</source>
        <translation>Was dieser Prozess von der Karte hätte bekommen können.</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>Passt</translation>
    </message>
    <message>
        <source>Need and overhead after the change stay below the capacity with a margin. Where the estimate straddles the capacity, it says “not known”.</source>
        <translation>Bedarf und Overhead bleiben nach der Änderung mit Abstand unter der Kapazität. Liegt die Kapazität innerhalb der Schätzung, heißt es „unbekannt“.</translation>
    </message>
    <message>
        <source>Place in the order of cost: 1 costs least in speed, work and results.</source>
        <translation>Rang nach Kosten: 1 kostet am wenigsten an Tempo, Arbeit und Ergebnis.</translation>
    </message>
    <message>
        <source>What the run takes from the driver after the change: live bytes and what the allocator keeps beside them. It is what the capacity must hold; “peak” is the highest point of the curve.</source>
        <translation>Was der Lauf nach der Änderung vom Treiber nimmt: belegte Bytes und was der Allocator daneben hält. Das muss in die Kapazität passen; „Peak“ ist der höchste Punkt der Kurve.</translation>
    </message>
    <message>
        <source>What an allocation is for. It is read off stacks, lifetimes and sizes; “Unknown” is said where they do not tell.</source>
        <translation>Wozu eine Allokation dient. Abgelesen an Stacks, Lebensdauern und Größen; „Unbekannt“ steht, wo sie nichts verraten.</translation>
    </message>
    <message>
        <source>Peak requested</source>
        <translation>Peak angefordert</translation>
    </message>
    <message>
        <source>Most reserved</source>
        <translation>Höchstens reserviert</translation>
    </message>
    <message>
        <source>At the end</source>
        <translation>Am Ende</translation>
    </message>
    <message>
        <source>OOM events</source>
        <translation>OOM-Ereignisse</translation>
    </message>
    <message>
        <source>All devices</source>
        <translation>Alle Geräte</translation>
    </message>
    <message>
        <source>This report shows %1 in full.</source>
        <translation>Dieser Bericht zeigt %1 vollständig.</translation>
    </message>
    <message>
        <source>About the file</source>
        <translation>Über die Datei</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Word</source>
        <translation>Begriff</translation>
    </message>
    <message>
        <source>Meaning</source>
        <translation>Bedeutung</translation>
    </message>
    <message>
        <source>How to read the figures</source>
        <translation>Wie die Zahlen zu lesen sind</translation>
    </message>
    <message>
        <source>The timeline has one column per half point of paper. A column shows the buckets at the event of the largest total inside it, so no peak is lost. Bands are stacked in the order of the legend. All units are binary: 1 GiB = 1,073,741,824 B.</source>
        <translation>Die Zeitleiste hat eine Spalte je halbem Punkt Papier. Eine Spalte zeigt die Buckets bei dem Ereignis mit der größten Summe darin, also geht kein Peak verloren. Die Bänder sind in der Reihenfolge der Legende gestapelt. Alle Einheiten sind binär: 1 GiB = 1.073.741.824 B.</translation>
    </message>
    <message>
        <source>Bucket, module or line</source>
        <translation>Bucket, Modul oder Zeile</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>Anzahl</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Likely shape</source>
        <translation>Vermutete Shape</translation>
    </message>
    <message numerus="yes">
        <source>and %Ln more</source>
        <translation>
            <numerusform>und %Ln weitere</numerusform>
            <numerusform>und %Ln weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>Modules at the peak</source>
        <translation>Module am Peak</translation>
    </message>
    <message>
        <source>What is live at %1, by the module or line that made it, the largest %2 of each bucket.</source>
        <translation>Was bei %1 belegt ist, nach Modul oder Zeile, die es angelegt hat, die größten %2 jedes Buckets.</translation>
    </message>
    <message>
        <source>After: %1</source>
        <translation>Danach: %1</translation>
    </message>
    <message>
        <source>Memory at the dump</source>
        <translation>Speicher beim Dump</translation>
    </message>
    <message>
        <source>This file holds the memory at one moment and no allocation events, so there is no timeline. To get one, call torch.cuda.memory._record_memory_history() before the part that matters.</source>
        <translation>Diese Datei enthält den Speicher eines einzigen Moments und keine Allokationsereignisse, also gibt es keine Zeitleiste. Dafür torch.cuda.memory._record_memory_history() vor dem Teil aufrufen, auf den es ankommt.</translation>
    </message>
    <message>
        <source>Timeline of %1</source>
        <translation>Zeitleiste von %1</translation>
    </message>
    <message>
        <source>Confidence high.</source>
        <translation>Sicherheit hoch.</translation>
    </message>
    <message>
        <source>Confidence medium.</source>
        <translation>Sicherheit mittel.</translation>
    </message>
    <message>
        <source>Confidence low.</source>
        <translation>Sicherheit gering.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln event(s)</source>
        <translation>
            <numerusform>%Ln Ereignis</numerusform>
            <numerusform>%Ln Ereignisse</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, one of %2 devices</source>
        <translation>%1, eines von %2 Geräten</translation>
    </message>
    <message>
        <source>file of %1</source>
        <translation>Datei mit %1</translation>
    </message>
    <message>
        <source>Peak, requested bytes</source>
        <translation>Peak, angeforderte Bytes</translation>
    </message>
    <message>
        <source>at the dump</source>
        <translation>beim Dump</translation>
    </message>
    <message>
        <source>%1 at the peak</source>
        <translation>%1 am Peak</translation>
    </message>
    <message>
        <source>Asked for at the OOM</source>
        <translation>Beim OOM angefordert</translation>
    </message>
    <message>
        <source>%1 free on the card, %2 in the largest usable hole</source>
        <translation>%1 auf der Karte frei, %2 in der größten nutzbaren Lücke</translation>
    </message>
    <message>
        <source>Needed</source>
        <translation>Benötigt</translation>
    </message>
    <message>
        <source>%1 requested + %2 overhead</source>
        <translation>%1 angefordert + %2 Overhead</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>nicht bekannt</translation>
    </message>
    <message>
        <source>This file lists no device, so there is nothing to draw.</source>
        <translation>Diese Datei nennt kein Gerät, also gibt es nichts zu zeichnen.</translation>
    </message>
    <message>
        <source>No memory was allocated or recorded on %1, so there is nothing to draw.</source>
        <translation>Auf %1 wurde kein Speicher allokiert oder aufgezeichnet, also gibt es nichts zu zeichnen.</translation>
    </message>
    <message>
        <source>strong</source>
        <translation>stark</translation>
    </message>
    <message>
        <source>likely</source>
        <translation>wahrscheinlich</translation>
    </message>
    <message>
        <source>possible</source>
        <translation>möglich</translation>
    </message>
    <message>
        <source>weak</source>
        <translation>schwach</translation>
    </message>
    <message>
        <source>The report could not be finished: %1.</source>
        <translation>Der Bericht ließ sich nicht fertigstellen: %1.</translation>
    </message>
    <message>
        <source>What would help</source>
        <translation>Was helfen würde</translation>
    </message>
    <message>
        <source>Prediction beside measurement</source>
        <translation>Vorhersage neben Messung</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::RunMultiples</name>
    <message>
        <source>%1: the others are held against it</source>
        <translation>%1: Die anderen werden damit verglichen</translation>
    </message>
    <message>
        <source>Hold %1 against %2</source>
        <translation>%1 mit %2 vergleichen</translation>
    </message>
    <message>
        <source>Memory of %1 over its events</source>
        <translation>Speicher von %1 über seine Ereignisse</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::SearchActions</name>
    <message>
        <source>&amp;Find…</source>
        <translation>S&amp;uchen…</translation>
    </message>
    <message>
        <source>Run a Comman&amp;d…</source>
        <translation>&amp;Befehl ausführen…</translation>
    </message>
    <message>
        <source>Function, file, size&gt;100MiB, address, event, step 3, bucket, or a command</source>
        <translation>Funktion, Datei, size&gt;100MiB, Adresse, Ereignis, step 3, Bucket oder ein Befehl</translation>
    </message>
    <message>
        <source>A command</source>
        <translation>Ein Befehl</translation>
    </message>
    <message>
        <source>Allocations: %1</source>
        <translation>Allokationen: %1</translation>
    </message>
    <message>
        <source>whole run</source>
        <translation>ganzer Lauf</translation>
    </message>
    <message>
        <source>Go to %1</source>
        <translation>Zu %1 gehen</translation>
    </message>
    <message>
        <source>event or time</source>
        <translation>Ereignis oder Zeit</translation>
    </message>
    <message>
        <source>Step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>from event %1</source>
        <translation>ab Ereignis %1</translation>
    </message>
    <message>
        <source>bucket</source>
        <translation>Bucket</translation>
    </message>
    <message>
        <source>file</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>function</source>
        <translation>Funktion</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::SearchPalette</name>
    <message>
        <source>Search</source>
        <translation>Suche</translation>
    </message>
    <message>
        <source>What it leads to</source>
        <translation>Wohin es führt</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::SentenceLabel</name>
    <message>
        <source>Show what this is about</source>
        <translation>Zeigen, worum es geht</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::Session</name>
    <message>
        <source>Something went wrong inside the program: %1.</source>
        <translation>Im Programm ging etwas schief: %1.</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::SimulatePanel</name>
    <message>
        <source>Replay</source>
        <translation>Abspielen</translation>
    </message>
    <message>
        <source>Try many</source>
        <translation>Viele probieren</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Allocator &amp;settings</source>
        <translation>Allocator-&amp;Einstellungen</translation>
    </message>
    <message>
        <source>none: PyTorch&apos;s defaults</source>
        <translation>keine: Standard</translation>
    </message>
    <message>
        <source>What PYTORCH_CUDA_ALLOC_CONF would say, such as expandable_segments:True; empty for the defaults</source>
        <translation>Was in PYTORCH_CUDA_ALLOC_CONF stünde, etwa expandable_segments:True; leer für die Vorgaben</translation>
    </message>
    <message>
        <source>&amp;Memory there is</source>
        <translation>Vorhandener &amp;Speicher</translation>
    </message>
    <message>
        <source>Replays the run under all settings that are worth trying</source>
        <translation>Spielt den Lauf unter allen Einstellungen ab, die einen Versuch wert sind</translation>
    </message>
    <message>
        <source>Replays under other settings</source>
        <translation>Läufe unter anderen Einstellungen</translation>
    </message>
    <message>
        <source>as it was</source>
        <translation>wie es war</translation>
    </message>
    <message>
        <source>The run is being replayed…</source>
        <translation>Der Lauf wird abgespielt…</translation>
    </message>
    <message>
        <source>The run can be replayed under other settings of PyTorch&apos;s allocator: type some, or try many. The outcome that you choose is drawn over the timeline, and the memory map can show it.</source>
        <translation>Der Lauf lässt sich unter anderen Einstellungen von PyTorchs Allocator abspielen: einige eingeben oder viele probieren. Das gewählte Ergebnis wird über die Zeitleiste gezeichnet, und das Speicherlayout kann es zeigen.</translation>
    </message>
    <message>
        <source>There are no requests of a GPU&apos;s allocator here to replay.</source>
        <translation>Hier gibt es keine Anforderungen an den Allocator einer GPU, die sich abspielen ließen.</translation>
    </message>
    <message>
        <source>What a replay cannot know:</source>
        <translation>Was ein Abspielen nicht wissen kann:</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::SimulationsModel</name>
    <message>
        <source>At the first request that fails, else at the end of the trace</source>
        <translation>Bei der ersten Anforderung, die scheitert, sonst am Ende des Trace</translation>
    </message>
    <message>
        <source>settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>outcome</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>reserved peak</source>
        <translation>Peak reserviert</translation>
    </message>
    <message>
        <source>of it cached</source>
        <translation>davon im Cache</translation>
    </message>
    <message>
        <source>largest free block</source>
        <translation>größter freier Block</translation>
    </message>
    <message>
        <source>%1, of it cached %2
Largest free block %3</source>
        <translation>%1, davon im Cache %2
Größter freier Block %3</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::Simulator</name>
    <message>
        <source>default settings</source>
        <translation>Vorgaben</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::SourcePlaces</name>
    <message>
        <source>The file cannot be read.</source>
        <translation>Die Datei kann nicht gelesen werden.</translation>
    </message>
    <message>
        <source>The file is larger than 8 MiB.</source>
        <translation>Die Datei ist größer als 8 MiB.</translation>
    </message>
    <message>
        <source>The file is no text.</source>
        <translation>Die Datei ist kein Text.</translation>
    </message>
    <message>
        <source>The file has fewer lines: it was another one when this was recorded.</source>
        <translation>Die Datei hat weniger Zeilen: Bei der Aufzeichnung war sie eine andere.</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::SourceView</name>
    <message>
        <source>Open in the editor</source>
        <translation>Im Editor öffnen</translation>
    </message>
    <message>
        <source>Find the file…</source>
        <translation>Datei suchen…</translation>
    </message>
    <message>
        <source>Show where this file lies here; others of its folder are found, too</source>
        <translation>Zeigen, wo diese Datei hier liegt; andere ihres Ordners werden dann auch gefunden</translation>
    </message>
    <message>
        <source>Lines around the frame</source>
        <translation>Zeilen um den Frame</translation>
    </message>
    <message>
        <source>%1 in %2, line %3</source>
        <translation>%1 in %2, Zeile %3</translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <translation>%1 in %2</translation>
    </message>
    <message>
        <source>The recording tells no line of it.</source>
        <translation>Die Aufzeichnung nennt keine Zeile dazu.</translation>
    </message>
    <message>
        <source>The file is not on this machine, or not there; “Find the file” shows where its folder lies here.</source>
        <translation>Die Datei ist nicht auf diesem Rechner oder liegt woanders; „Datei suchen“ zeigt, wo ihr Ordner hier liegt.</translation>
    </message>
    <message>
        <source>Where %1 lies here</source>
        <translation>Wo %1 hier liegt</translation>
    </message>
    <message>
        <source>%1 (%1);;All files (*)</source>
        <translation>%1 (%1);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>%1 has another name than %2, so it is another file.</source>
        <translation>%1 heißt anders als %2, ist also eine andere Datei.</translation>
    </message>
    <message>
        <source>No editor was found. Install VS Code or PyCharm, or set EDITOR and start Tidemark again.</source>
        <translation>Kein Editor gefunden. VS Code oder PyCharm installieren oder EDITOR setzen und Tidemark neu starten.</translation>
    </message>
    <message>
        <source>%1 cannot be started.</source>
        <translation>%1 lässt sich nicht starten.</translation>
    </message>
    <message>
        <source>Whatever is installed</source>
        <translation>Was installiert ist</translation>
    </message>
    <message>
        <source>VS Code</source>
        <translation>VS Code</translation>
    </message>
    <message>
        <source>PyCharm</source>
        <translation>PyCharm</translation>
    </message>
    <message>
        <source>EDITOR in a terminal</source>
        <translation>EDITOR in einem Terminal</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::StackFlowModel</name>
    <message>
        <source>no frames recorded</source>
        <translation>keine Frames aufgezeichnet</translation>
    </message>
    <message>
        <source>net</source>
        <translation>netto</translation>
    </message>
    <message>
        <source>allocated</source>
        <translation>allokiert</translation>
    </message>
    <message>
        <source>count</source>
        <translation>Anzahl</translation>
    </message>
    <message>
        <source>operation</source>
        <translation>Operation</translation>
    </message>
    <message>
        <source>line</source>
        <translation>Zeile</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::StackPanel</name>
    <message>
        <source>attached: %1</source>
        <translation>angehängt: %1</translation>
    </message>
    <message>
        <source>Go to where it is made</source>
        <translation>Dorthin, wo sie angelegt wird</translation>
    </message>
    <message>
        <source>Go to where it is freed</source>
        <translation>Dorthin, wo sie freigegeben wird</translation>
    </message>
    <message>
        <source>Copy the stack</source>
        <translation>Stack kopieren</translation>
    </message>
    <message>
        <source>Relabel…</source>
        <translation>Label ändern…</translation>
    </message>
    <message>
        <source>Frames of the stack</source>
        <translation>Frames des Stacks</translation>
    </message>
    <message>
        <source>Say what it is, where the program is mistaken (L)</source>
        <translation>Angeben, was es ist, wo das Programm irrt (L)</translation>
    </message>
    <message>
        <source>made before the trace</source>
        <translation>vor dem Trace angelegt</translation>
    </message>
    <message>
        <source>made at event %1</source>
        <translation>angelegt bei Ereignis %1</translation>
    </message>
    <message>
        <source>alive at the end</source>
        <translation>am Ende noch belegt</translation>
    </message>
    <message>
        <source>freed at event %1</source>
        <translation>freigegeben bei Ereignis %1</translation>
    </message>
    <message>
        <source>No allocation selected</source>
        <translation>Keine Allokation ausgewählt</translation>
    </message>
    <message>
        <source>Choose one under “Largest alive” or in the list of allocations to see its stack.</source>
        <translation>Unter „Größte Allokationen“ oder in der Liste der Allokationen eine wählen, um ihren Stack zu sehen.</translation>
    </message>
    <message>
        <source>(%1 % sure)</source>
        <translation>(zu %1 % sicher)</translation>
    </message>
    <message>
        <source>without the correction: %1</source>
        <translation>ohne die Korrektur: %1</translation>
    </message>
    <message>
        <source>no stack was recorded for it</source>
        <translation>dafür wurde kein Stack aufgezeichnet</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::StackTreeModel</name>
    <message>
        <source>Allocated by the call itself, in none of those below it</source>
        <translation>Vom Aufruf selbst allokiert, in keinem darunter</translation>
    </message>
    <message>
        <source>call</source>
        <translation>Aufruf</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>of all</source>
        <translation>von allem</translation>
    </message>
    <message>
        <source>itself</source>
        <translation>selbst</translation>
    </message>
    <message>
        <source>allocations</source>
        <translation>Allokationen</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::StacksPanel</name>
    <message>
        <source>callers first</source>
        <translation>Aufrufer zuerst</translation>
    </message>
    <message>
        <source>allocating calls first</source>
        <translation>allokierende Aufrufe zuerst</translation>
    </message>
    <message>
        <source>library frames</source>
        <translation>Bibliotheks-Frames</translation>
    </message>
    <message>
        <source>table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>What is counted</source>
        <translation>Was gezählt wird</translation>
    </message>
    <message>
        <source>live at the cursor</source>
        <translation>am Cursor belegt</translation>
    </message>
    <message>
        <source>live at the peak</source>
        <translation>am Peak belegt</translation>
    </message>
    <message>
        <source>allocated in the range</source>
        <translation>im Bereich allokiert</translation>
    </message>
    <message>
        <source>kept from the range</source>
        <translation>aus dem Bereich behalten</translation>
    </message>
    <message>
        <source>grown over the range</source>
        <translation>im Bereich gewachsen</translation>
    </message>
    <message>
        <source>Open every frame of torch and other packages; else neighbouring frames of one package are one</source>
        <translation>Jeden Frame von torch und anderen Paketen aufklappen; sonst sind benachbarte Frames eines Pakets einer</translation>
    </message>
    <message>
        <source>The calls as a table that unfolds, instead of the icicle</source>
        <translation>Die Aufrufe als Tabelle zum Aufklappen statt als Icicle</translation>
    </message>
    <message>
        <source>Find a function, file or package</source>
        <translation>Funktion, Datei oder Paket suchen</translation>
    </message>
    <message>
        <source>Calls by the bytes that they allocated</source>
        <translation>Aufrufe nach den Bytes, die sie allokiert haben</translation>
    </message>
    <message>
        <source>Hold Shift and drag over the timeline to select a range</source>
        <translation>Mit gedrückter Umschalttaste über die Zeitleiste ziehen, um einen Bereich auszuwählen</translation>
    </message>
    <message>
        <source>Nothing to count here.</source>
        <translation>Hier gibt es nichts zu zählen.</translation>
    </message>
    <message numerus="yes">
        <source>%1 in %Ln allocation(s), %2</source>
        <translation>
            <numerusform>%1 in %Ln Allokation, %2</numerusform>
            <numerusform>%1 in %Ln Allokationen, %2</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 in %Ln allocation(s); the file records no stacks: give _record_memory_history() stacks=&quot;python&quot;.</source>
        <translation>
            <numerusform>%1 in %Ln Allokation; die Datei enthält keine Stacks: _record_memory_history() mit stacks=&quot;python&quot; aufrufen.</numerusform>
            <numerusform>%1 in %Ln Allokationen; die Datei enthält keine Stacks: _record_memory_history() mit stacks=&quot;python&quot; aufrufen.</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 · found: %2</source>
        <translation>%1 · gefunden: %2</translation>
    </message>
    <message>
        <source>%1 · Backspace goes back</source>
        <translation>%1 · Rücktaste geht zurück</translation>
    </message>
    <message>
        <source>Make it as wide as the view</source>
        <translation>So breit wie die Ansicht machen</translation>
    </message>
    <message>
        <source>Show the stack of its largest allocation</source>
        <translation>Den Stack seiner größten Allokation zeigen</translation>
    </message>
    <message>
        <source>Filter Allocations by it</source>
        <translation>Allokationen danach filtern</translation>
    </message>
    <message>
        <source>Copy the calls down to it</source>
        <translation>Die Aufrufe bis hierhin kopieren</translation>
    </message>
    <message>
        <source>The calls</source>
        <translation>Die Aufrufe</translation>
    </message>
    <message>
        <source>Copy all as folded stacks</source>
        <translation>Alles als Folded Stacks kopieren</translation>
    </message>
    <message>
        <source>Folded stacks</source>
        <translation>Folded Stacks</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::StartPage</name>
    <message>
        <source>Drop a PyTorch memory snapshot here</source>
        <translation>Einen PyTorch-Speicher-Snapshot hier ablegen</translation>
    </message>
    <message>
        <source>See what filled the GPU, when, why, and what to change. Drop two to compare them, or a log to have it explained.
The run&apos;s configuration (ds_config.json, YAML, launch script) says what is on already.
Files stay on this computer, and no code in them is ever run.</source>
        <translation>Zeigt, was die GPU gefüllt hat, wann, warum und was zu ändern ist. Zwei Snapshots werden verglichen, ein Log wird erklärt.
Die Konfiguration des Laufs (ds_config.json, YAML, Startskript) sagt, was schon an ist.
Dateien bleiben auf diesem Rechner, und Code darin wird nie ausgeführt.</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>Öffnen…</translation>
    </message>
    <message>
        <source>Show an example</source>
        <translation>Ein Beispiel zeigen</translation>
    </message>
    <message>
        <source>A training run that ends in CUDA out of memory</source>
        <translation>Ein Trainingslauf, der mit CUDA out of memory endet</translation>
    </message>
    <message>
        <source>The example is not installed</source>
        <translation>Das Beispiel ist nicht installiert</translation>
    </message>
    <message>
        <source>Explain a message…</source>
        <translation>Eine Meldung erklären…</translation>
    </message>
    <message>
        <source>An out-of-memory message or a log, without a snapshot</source>
        <translation>Eine Out-of-Memory-Meldung oder ein Log, ohne Snapshot</translation>
    </message>
    <message>
        <source>Model states…</source>
        <translation>Modellzustände…</translation>
    </message>
    <message>
        <source>What weights, gradients and optimizer state take, before there is a run</source>
        <translation>Was Gewichte, Gradienten und Optimizer-Zustand brauchen, noch vor einem Lauf</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>Zuletzt geöffnet</translation>
    </message>
    <message>
        <source>How to record one</source>
        <translation>So entsteht ein Snapshot</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Save module…</source>
        <translation>Modul speichern…</translation>
    </message>
    <message>
        <source>Save tidemark_capture.py, one Python file for the training side</source>
        <translation>tidemark_capture.py speichern, eine Python-Datei für die Trainingsseite</translation>
    </message>
    <message>
        <source>Files you open are listed here.</source>
        <translation>Geöffnete Dateien stehen hier.</translation>
    </message>
    <message>
        <source>no longer there: %1</source>
        <translation>nicht mehr da: %1</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::StatesDialog</name>
    <message>
        <source>Model states</source>
        <translation>Modellzustände</translation>
    </message>
    <message>
        <source>all, or 0.5 % of them with LoRA</source>
        <translation>alle, oder 0,5 % davon mit LoRA</translation>
    </message>
    <message>
        <source> GiB</source>
        <translation> GiB</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>nicht bekannt</translation>
    </message>
    <message>
        <source>Memory of each GPU</source>
        <translation>Speicher jeder GPU</translation>
    </message>
    <message>
        <source>&amp;Parameters</source>
        <translation>&amp;Parameter</translation>
    </message>
    <message>
        <source>&amp;Recipe</source>
        <translation>&amp;Rezept</translation>
    </message>
    <message>
        <source>&amp;Trained of them</source>
        <translation>Davon &amp;trainiert</translation>
    </message>
    <message>
        <source>Adapters</source>
        <translation>Adapter</translation>
    </message>
    <message>
        <source>&amp;GPUs</source>
        <translation>&amp;GPUs</translation>
    </message>
    <message>
        <source>&amp;Memory of each</source>
        <translation>&amp;Speicher je GPU</translation>
    </message>
    <message>
        <source>What the states take</source>
        <translation>Was die Zustände brauchen</translation>
    </message>
    <message>
        <source>rank </source>
        <translation>Rang </translation>
    </message>
    <message>
        <source>Rank of the adapters</source>
        <translation>Rang der Adapter</translation>
    </message>
    <message>
        <source>width </source>
        <translation>Breite </translation>
    </message>
    <message>
        <source>Width of a token</source>
        <translation>Breite eines Tokens</translation>
    </message>
    <message>
        <source>blocks </source>
        <translation>Blöcke </translation>
    </message>
    <message>
        <source>Number of blocks</source>
        <translation>Anzahl der Blöcke</translation>
    </message>
    <message>
        <source>width not known</source>
        <translation>Breite unbekannt</translation>
    </message>
    <message>
        <source>blocks not known</source>
        <translation>Blöcke unbekannt</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::StepPeaksChart</name>
    <message>
        <source>Largest total of each step</source>
        <translation>Größte Summe jedes Schritts</translation>
    </message>
    <message>
        <source>step %1: %2 in %3</source>
        <translation>Schritt %1: %2 in %3</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::StepsPanel</name>
    <message>
        <source>Largest totals by step and phase</source>
        <translation>Größte Summen nach Schritt und Phase</translation>
    </message>
    <message>
        <source>Stacks whose memory changes from step to step</source>
        <translation>Stacks, deren Speicher sich von Schritt zu Schritt ändert</translation>
    </message>
    <message>
        <source>Largest total of each phase</source>
        <translation>Größte Summe jeder Phase</translation>
    </message>
    <message>
        <source>requested</source>
        <translation>angefordert</translation>
    </message>
    <message>
        <source>in blocks</source>
        <translation>in Blöcken</translation>
    </message>
    <message>
        <source>reserved</source>
        <translation>reserviert</translation>
    </message>
    <message>
        <source>No phases were recognised in this trace.</source>
        <translation>In diesem Trace wurden keine Phasen erkannt.</translation>
    </message>
    <message>
        <source>What grows from step to step</source>
        <translation>Was von Schritt zu Schritt wächst</translation>
    </message>
    <message>
        <source>%1 per step</source>
        <translation>%1 je Schritt</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::StripItem</name>
    <message>
        <source>time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>event</source>
        <translation>Ereignis</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::Timeline</name>
    <message>
        <source>step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>Free in private pools</source>
        <translation>Frei in privaten Pools</translation>
    </message>
    <message>
        <source>Cached</source>
        <translation>Im Cache</translation>
    </message>
    <message>
        <source>capacity %1</source>
        <translation>Kapazität %1</translation>
    </message>
    <message>
        <source>capacity %1, above this picture</source>
        <translation>Kapazität %1, oberhalb dieses Bildes</translation>
    </message>
    <message>
        <source>peak %1 · %2</source>
        <translation>Peak %1 · %2</translation>
    </message>
    <message>
        <source>peak with this change %1</source>
        <translation>Peak mit dieser Änderung %1</translation>
    </message>
    <message>
        <source>reserved under %1 %2</source>
        <translation>reserviert unter %1 %2</translation>
    </message>
    <message>
        <source>reserved %1</source>
        <translation>reserviert %1</translation>
    </message>
    <message>
        <source>Out of memory</source>
        <translation>Out of Memory</translation>
    </message>
    <message numerus="yes">
        <source>Out of memory, %Ln times</source>
        <translation>
            <numerusform>Out of Memory, %Ln-mal</numerusform>
            <numerusform>Out of Memory, %Ln-mal</numerusform>
        </translation>
    </message>
    <message>
        <source>asked %1 · free %2</source>
        <translation>verlangt %1 · frei %2</translation>
    </message>
    <message>
        <source>last asked %1 · free %2</source>
        <translation>zuletzt verlangt %1 · frei %2</translation>
    </message>
    <message>
        <source>from before the trace to its end</source>
        <translation>von vor dem Trace bis zu seinem Ende</translation>
    </message>
    <message>
        <source>from before the trace to %1</source>
        <translation>von vor dem Trace bis %1</translation>
    </message>
    <message>
        <source>from %1 to the end of the trace</source>
        <translation>von %1 bis zum Ende des Trace</translation>
    </message>
    <message>
        <source>from %1 to %2</source>
        <translation>von %1 bis %2</translation>
    </message>
    <message numerus="yes">
        <source>%Ln event(s)</source>
        <translation>
            <numerusform>%Ln Ereignis</numerusform>
            <numerusform>%Ln Ereignisse</numerusform>
        </translation>
    </message>
    <message>
        <source>called at %1</source>
        <translation>aufgerufen in %1</translation>
    </message>
    <message>
        <source>event</source>
        <translation>Ereignis</translation>
    </message>
    <message>
        <source>time</source>
        <translation>Zeit</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::TimelinePlot</name>
    <message>
        <source>Memory over the trace</source>
        <translation>Speicher über den Trace</translation>
    </message>
    <message>
        <source>The picture cannot be painted; make the window smaller and try again.</source>
        <translation>Das Bild lässt sich nicht zeichnen; das Fenster verkleinern und noch einmal versuchen.</translation>
    </message>
    <message>
        <source>Free in private pools %1</source>
        <translation>Frei in privaten Pools %1</translation>
    </message>
    <message>
        <source>Cached %1</source>
        <translation>Im Cache %1</translation>
    </message>
    <message>
        <source>One event back; 10 with Shift, 100 with Ctrl</source>
        <translation>Ein Ereignis zurück; mit Umschalt 10, mit Strg 100</translation>
    </message>
    <message>
        <source>One event on; 10 with Shift, 100 with Ctrl</source>
        <translation>Ein Ereignis weiter; mit Umschalt 10, mit Strg 100</translation>
    </message>
    <message>
        <source>To the start of the trace</source>
        <translation>Zum Anfang des Trace</translation>
    </message>
    <message>
        <source>To its end</source>
        <translation>Zu seinem Ende</translation>
    </message>
    <message>
        <source>Move the view to what was before</source>
        <translation>Die Ansicht auf das Frühere verschieben</translation>
    </message>
    <message>
        <source>Move the view to what follows</source>
        <translation>Die Ansicht auf das Folgende verschieben</translation>
    </message>
    <message>
        <source>Closer</source>
        <translation>Näher heran</translation>
    </message>
    <message>
        <source>Farther</source>
        <translation>Weiter weg</translation>
    </message>
    <message>
        <source>Zoom the height in, around the bands at the cursor</source>
        <translation>Höhe vergrößern, um die Bänder am Cursor</translation>
    </message>
    <message>
        <source>Zoom the height out</source>
        <translation>Höhe verkleinern</translation>
    </message>
    <message>
        <source>Move up in a zoomed height</source>
        <translation>In vergrößerter Höhe nach oben</translation>
    </message>
    <message>
        <source>Move down in a zoomed height</source>
        <translation>In vergrößerter Höhe nach unten</translation>
    </message>
    <message>
        <source>The selected range begins at the cursor</source>
        <translation>Der ausgewählte Bereich beginnt am Cursor</translation>
    </message>
    <message>
        <source>The selected range ends at the cursor</source>
        <translation>Der ausgewählte Bereich endet am Cursor</translation>
    </message>
    <message>
        <source>Forget the selected range</source>
        <translation>Den ausgewählten Bereich aufheben</translation>
    </message>
    <message>
        <source>Back to the view before</source>
        <translation>Zurück zur vorigen Ansicht</translation>
    </message>
    <message>
        <source>Forward to the view after</source>
        <translation>Vor zur nächsten Ansicht</translation>
    </message>
    <message>
        <source>Click</source>
        <translation>Klick</translation>
    </message>
    <message>
        <source>Set the cursor</source>
        <translation>Den Cursor setzen</translation>
    </message>
    <message>
        <source>Drag</source>
        <translation>Ziehen</translation>
    </message>
    <message>
        <source>Move the view</source>
        <translation>Die Ansicht verschieben</translation>
    </message>
    <message>
        <source>Shift and drag</source>
        <translation>Umschalt und ziehen</translation>
    </message>
    <message>
        <source>Select a range</source>
        <translation>Einen Bereich auswählen</translation>
    </message>
    <message>
        <source>Ctrl and drag</source>
        <translation>Strg und ziehen</translation>
    </message>
    <message>
        <source>Zoom to a box</source>
        <translation>Auf ein Rechteck zoomen</translation>
    </message>
    <message>
        <source>Wheel</source>
        <translation>Mausrad</translation>
    </message>
    <message>
        <source>Zoom at the mouse; with Shift, move</source>
        <translation>An der Maus zoomen; mit Umschalt verschieben</translation>
    </message>
    <message>
        <source>Wheel on the axis of bytes, or with Alt</source>
        <translation>Mausrad auf der Byte-Achse oder mit Alt</translation>
    </message>
    <message>
        <source>Zoom the height</source>
        <translation>Die Höhe zoomen</translation>
    </message>
    <message>
        <source>Double click</source>
        <translation>Doppelklick</translation>
    </message>
    <message>
        <source>Zoom to the selected range, or show all; on the axis of bytes, the whole height</source>
        <translation>Auf den ausgewählten Bereich zoomen oder alles zeigen; auf der Byte-Achse die ganze Höhe</translation>
    </message>
    <message>
        <source>Its end was not recorded.</source>
        <translation>Ihr Ende wurde nicht aufgezeichnet.</translation>
    </message>
    <message>
        <source>Memory over the trace, stacked by bucket</source>
        <translation>Speicher über den Trace, gestapelt nach Bucket</translation>
    </message>
    <message>
        <source>The vertical axis shows a part; a click shows all of it</source>
        <translation>Die senkrechte Achse zeigt einen Ausschnitt; ein Klick zeigt sie ganz</translation>
    </message>
    <message>
        <source>Show the whole height</source>
        <translation>Die ganze Höhe zeigen</translation>
    </message>
    <message>
        <source>%1 to %2 of %3 · show all</source>
        <translation>%1 bis %2 von %3 · alles zeigen</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::TimelineView</name>
    <message>
        <source>State only, no history: one moment, at the dump.</source>
        <translation>Nur ein Zustand, keine Historie: ein Moment, beim Schreiben des Snapshots.</translation>
    </message>
    <message>
        <source>The copy ends before the trace: one moment, at the dump.</source>
        <translation>Die Kopie endet vor der Aufzeichnung: ein Moment, beim Schreiben des Snapshots.</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::TopBar</name>
    <message>
        <source>Tidemark</source>
        <translation>Tidemark</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Report PDF</source>
        <translation>PDF-Bericht</translation>
    </message>
    <message>
        <source>Both runs on one scale</source>
        <translation>Beide Läufe auf einer Skala</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Write everything as a PDF</source>
        <translation>Alles als PDF schreiben</translation>
    </message>
    <message>
        <source>Light or dark</source>
        <translation>Hell oder dunkel</translation>
    </message>
    <message>
        <source>aligned</source>
        <translation>ausgerichtet</translation>
    </message>
    <message>
        <source>Horizontal axis: stretched so that the same places of both runs coincide</source>
        <translation>Waagerechte Achse: so gestreckt, dass gleiche Stellen beider Läufe zusammenfallen</translation>
    </message>
    <message>
        <source>events</source>
        <translation>Ereignisse</translation>
    </message>
    <message>
        <source>time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Horizontal axis: one unit per allocator event</source>
        <translation>Waagerechte Achse: eine Einheit je Allocator-Ereignis</translation>
    </message>
    <message>
        <source>Stop reading %1</source>
        <translation>Das Lesen von %1 anhalten</translation>
    </message>
    <message>
        <source>Close %1</source>
        <translation>%1 schließen</translation>
    </message>
    <message>
        <source>PDF</source>
        <translation>PDF</translation>
    </message>
    <message>
        <source>+</source>
        <translation>+</translation>
    </message>
    <message>
        <source>+ second run</source>
        <translation>+ zweiter Lauf</translation>
    </message>
    <message>
        <source>+ drop a second run to compare</source>
        <translation>+ zweiten Lauf zum Vergleich ablegen</translation>
    </message>
    <message>
        <source>Open another file beside this one</source>
        <translation>Eine weitere Datei neben dieser öffnen</translation>
    </message>
    <message>
        <source>Open another file beside this one; Ctrl+O opens one by itself</source>
        <translation>Eine weitere Datei neben dieser öffnen; Strg+O öffnet eine allein</translation>
    </message>
    <message>
        <source>Horizontal axis: time since the first event</source>
        <translation>Waagerechte Achse: Zeit seit dem ersten Ereignis</translation>
    </message>
    <message>
        <source>This file has no times</source>
        <translation>Diese Datei enthält keine Zeiten</translation>
    </message>
    <message>
        <source>Job %1</source>
        <translation>Job %1</translation>
    </message>
    <message>
        <source>Close the job %1</source>
        <translation>Den Job %1 schließen</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::VerdictCard</name>
    <message>
        <source>high</source>
        <translation>hoch</translation>
    </message>
    <message>
        <source>medium</source>
        <translation>mittel</translation>
    </message>
    <message>
        <source>low</source>
        <translation>gering</translation>
    </message>
    <message>
        <source>Evidence…</source>
        <translation>Belege…</translation>
    </message>
    <message>
        <source>recipe not recognised</source>
        <translation>Rezept nicht erkannt</translation>
    </message>
    <message>
        <source>confidence %1</source>
        <translation>Sicherheit %1</translation>
    </message>
    <message>
        <source>Peak %1 at %2</source>
        <translation>Peak %1 bei %2</translation>
    </message>
    <message>
        <source>Looking for the cause and for what would help…</source>
        <translation>Sucht die Ursache und was helfen würde…</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::WatchActions</name>
    <message>
        <source>&amp;Watch a Folder…</source>
        <translation>&amp;Ordner überwachen…</translation>
    </message>
    <message>
        <source>%1 is no longer watched. %2</source>
        <translation>%1 wird nicht mehr überwacht. %2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Watch a folder for new snapshots</source>
        <translation>Einen Ordner auf neue Snapshots überwachen</translation>
    </message>
    <message>
        <source>No folder is watched any more.</source>
        <translation>Kein Ordner wird mehr überwacht.</translation>
    </message>
    <message>
        <source>Watching %1: a new snapshot opens by itself.</source>
        <translation>%1 wird überwacht: Ein neuer Snapshot öffnet sich von selbst.</translation>
    </message>
    <message>
        <source>%1 arrived.</source>
        <translation>%1 ist angekommen.</translation>
    </message>
</context>
<context>
    <name>tidemark::ui::WhatIfPanel</name>
    <message>
        <source>Micro-batch</source>
        <translation>Micro-Batch</translation>
    </message>
    <message>
        <source>Samples per forward pass, against the recorded run.</source>
        <translation>Samples je Forward, im Verhältnis zum aufgezeichneten Lauf.</translation>
    </message>
    <message>
        <source>Accumulation</source>
        <translation>Akkumulation</translation>
    </message>
    <message>
        <source>Micro-batches per optimizer step; with micro-batch 1/N it keeps the effective batch. From 2 on all gradients live through the later forward passes.</source>
        <translation>Micro-Batches je Optimizer-Schritt; mit Micro-Batch 1/N bleibt der effektive Batch gleich. Ab 2 bleiben alle Gradienten während der späteren Forwards belegt.</translation>
    </message>
    <message>
        <source>as recorded</source>
        <translation>wie aufgezeichnet</translation>
    </message>
    <message>
        <source>Sequence</source>
        <translation>Sequenz</translation>
    </message>
    <message>
        <source>Tokens per sample, against the recorded run.</source>
        <translation>Tokens je Sample, im Verhältnis zum aufgezeichneten Lauf.</translation>
    </message>
    <message>
        <source>Evaluation keeps</source>
        <translation>Evaluierung behält</translation>
    </message>
    <message>
        <source>Batches whose results stay on the GPU before they move to the host (eval_accumulation_steps).</source>
        <translation>Batches, deren Ergebnisse auf der GPU bleiben, bevor sie zum Host gehen (eval_accumulation_steps).</translation>
    </message>
    <message>
        <source>Checkpointing</source>
        <translation>Checkpointing</translation>
    </message>
    <message>
        <source>Compute activations again in backward instead of keeping them.</source>
        <translation>Aktivierungen im Backward neu berechnen, statt sie zu behalten.</translation>
    </message>
    <message>
        <source>every block</source>
        <translation>jeder Block</translation>
    </message>
    <message>
        <source>attention of each block</source>
        <translation>Attention jedes Blocks</translation>
    </message>
    <message>
        <source>attention matrices only</source>
        <translation>nur Attention-Matrizen</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Präzision</translation>
    </message>
    <message>
        <source>Autocast keeps 32-bit weights; pure 16 bits halve all of it and change the training.</source>
        <translation>Autocast behält 32-Bit-Gewichte; reine 16 Bit halbieren alles und ändern das Training.</translation>
    </message>
    <message>
        <source>bf16 autocast</source>
        <translation>bf16-Autocast</translation>
    </message>
    <message>
        <source>pure bf16</source>
        <translation>reines bf16</translation>
    </message>
    <message>
        <source>Flash attention</source>
        <translation>Flash Attention</translation>
    </message>
    <message>
        <source>Attention without stored matrices (scaled_dot_product_attention).</source>
        <translation>Attention ohne gespeicherte Matrizen (scaled_dot_product_attention).</translation>
    </message>
    <message>
        <source>Fused loss</source>
        <translation>Fusionierter Loss</translation>
    </message>
    <message>
        <source>The loss in chunks, so that logits are never all there.</source>
        <translation>Der Loss in Teilen, sodass nie alle Logits da sind.</translation>
    </message>
    <message>
        <source>Offload activations</source>
        <translation>Aktivierungen auslagern</translation>
    </message>
    <message>
        <source>Keep activations in host memory until backward.</source>
        <translation>Aktivierungen bis zum Backward im Host-Speicher halten.</translation>
    </message>
    <message>
        <source>8-bit AdamW</source>
        <translation>8-Bit-AdamW</translation>
    </message>
    <message>
        <source>paged 8-bit AdamW</source>
        <translation>paged 8-Bit-AdamW</translation>
    </message>
    <message>
        <source>SGD with momentum</source>
        <translation>SGD mit Momentum</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimizer</translation>
    </message>
    <message>
        <source>Another optimizer changes the training; check that it converges.</source>
        <translation>Ein anderer Optimizer ändert das Training; prüfen, ob es konvergiert.</translation>
    </message>
    <message>
        <source>Offload</source>
        <translation>Offload</translation>
    </message>
    <message>
        <source>What lives in host memory instead.</source>
        <translation>Was stattdessen im Host-Speicher liegt.</translation>
    </message>
    <message>
        <source>optimizer state</source>
        <translation>Optimizer-Zustand</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>One tensor at a time (foreach off)</source>
        <translation>Tensor für Tensor (foreach aus)</translation>
    </message>
    <message>
        <source>No lists of temporaries as long as the model; a slower step.</source>
        <translation>Keine temporären Listen so groß wie das Modell; ein langsamerer Schritt.</translation>
    </message>
    <message>
        <source>Fused optimizer</source>
        <translation>Fusionierter Optimizer</translation>
    </message>
    <message>
        <source>One kernel without temporaries (fused=True).</source>
        <translation>Ein Kernel ohne temporäre Tensoren (fused=True).</translation>
    </message>
    <message>
        <source>Gradients set to None</source>
        <translation>Gradienten auf None setzen</translation>
    </message>
    <message>
        <source>zero_grad(set_to_none=True): gradients end with their step.</source>
        <translation>zero_grad(set_to_none=True): Gradienten enden mit ihrem Schritt.</translation>
    </message>
    <message>
        <source>ZeRO, FSDP</source>
        <translation>ZeRO, FSDP</translation>
    </message>
    <message>
        <source>Share optimizer state, gradients, weights among GPUs.</source>
        <translation>Optimizer-Zustand, Gradienten und Gewichte auf GPUs aufteilen.</translation>
    </message>
    <message>
        <source>stage 1: state</source>
        <translation>Stage 1: Zustand</translation>
    </message>
    <message>
        <source>stage 2: and gradients</source>
        <translation>Stage 2: und Gradienten</translation>
    </message>
    <message>
        <source>stage 3: and weights</source>
        <translation>Stage 3: und Gewichte</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPUs</translation>
    </message>
    <message>
        <source>How many share the work.</source>
        <translation>Wie viele sich die Arbeit teilen.</translation>
    </message>
    <message>
        <source>LoRA, rank</source>
        <translation>LoRA, Rang</translation>
    </message>
    <message>
        <source>Train adapters of this rank instead of all weights.</source>
        <translation>Adapter dieses Rangs statt aller Gewichte trainieren.</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>QLoRA, rank</source>
        <translation>QLoRA, Rang</translation>
    </message>
    <message>
        <source>The same on weights in 4 bits.</source>
        <translation>Dasselbe auf Gewichten in 4 Bit.</translation>
    </message>
    <message>
        <source>Nothing in this run was seen to follow the batch.</source>
        <translation>In diesem Lauf war nichts zu sehen, was dem Batch folgt.</translation>
    </message>
    <message>
        <source>No gradients were seen in this run.</source>
        <translation>In diesem Lauf waren keine Gradienten zu sehen.</translation>
    </message>
    <message>
        <source>No activations that wait for a backward pass were seen.</source>
        <translation>Keine Aktivierungen zu sehen, die auf einen Backward warten.</translation>
    </message>
    <message>
        <source>The run computes in 16 bits already, or nothing was seen that would shrink.</source>
        <translation>Der Lauf rechnet schon in 16 Bit, oder nichts war zu sehen, was schrumpfen würde.</translation>
    </message>
    <message>
        <source>No optimizer state was seen, and none is to come.</source>
        <translation>Kein Optimizer-Zustand zu sehen, und keiner folgt noch.</translation>
    </message>
    <message>
        <source>The optimizer step of this run makes no lists of temporaries.</source>
        <translation>Der Optimizer-Schritt dieses Laufs legt keine temporären Listen an.</translation>
    </message>
    <message>
        <source>No gradients stay from one step to the next here.</source>
        <translation>Hier bleiben keine Gradienten von einem Schritt zum nächsten.</translation>
    </message>
    <message>
        <source>No attention matrices were seen; a fused kernel may be in use.</source>
        <translation>Keine Attention-Matrizen zu sehen; vielleicht ist ein fusionierter Kernel im Einsatz.</translation>
    </message>
    <message>
        <source>No logits of a loss were seen.</source>
        <translation>Keine Logits eines Loss zu sehen.</translation>
    </message>
    <message>
        <source>No weights, gradients or optimizer state were seen to share.</source>
        <translation>Keine Gewichte, Gradienten oder Optimizer-Zustände zum Aufteilen zu sehen.</translation>
    </message>
    <message>
        <source>Choose a ZeRO stage first: without one every GPU holds all of it.</source>
        <translation>Zuerst eine ZeRO-Stage wählen: Ohne sie hält jede GPU alles.</translation>
    </message>
    <message>
        <source>There is nothing of that kind here to move to host memory.</source>
        <translation>Hier gibt es nichts dieser Art, was in den Host-Speicher gehen könnte.</translation>
    </message>
    <message>
        <source>No weights were seen that could get adapters.</source>
        <translation>Keine Gewichte zu sehen, die Adapter bekommen könnten.</translation>
    </message>
    <message>
        <source>No results were seen that an evaluation collects.</source>
        <translation>Keine Ergebnisse zu sehen, die eine Evaluierung sammelt.</translation>
    </message>
    <message>
        <source>Each step</source>
        <translation>Jeder Schritt</translation>
    </message>
    <message>
        <source>Forward and backward</source>
        <translation>Forward und Backward</translation>
    </message>
    <message>
        <source>Several GPUs, adapters</source>
        <translation>Mehrere GPUs, Adapter</translation>
    </message>
    <message>
        <source>%1 (%2 to %3)</source>
        <translation>%1 (%2 bis %3)</translation>
    </message>
    <message>
        <source>Needs %1; whether that fits is not known without a capacity, which the top bar takes</source>
        <translation>Braucht %1; ob das passt, ist ohne Kapazität nicht bekannt, die sich oben eingeben lässt</translation>
    </message>
    <message>
        <source>Too close to tell: needs %1 to %2 of %3</source>
        <translation>Zu knapp für eine Aussage: braucht %1 bis %2 von %3</translation>
    </message>
    <message>
        <source>Not known: %1 are missing by the best estimate</source>
        <translation>Unbekannt: nach bester Schätzung fehlen %1</translation>
    </message>
    <message>
        <source>Not known: more may follow than the file shows</source>
        <translation>Unbekannt: es kann mehr folgen, als die Datei zeigt</translation>
    </message>
    <message>
        <source>Fits: at least %1 stay free</source>
        <translation>Passt: mindestens %1 bleiben frei</translation>
    </message>
    <message>
        <source>Does not fit, short by %1</source>
        <translation>Passt nicht, es fehlen %1</translation>
    </message>
    <message>
        <source>Copy command</source>
        <translation>Befehl kopieren</translation>
    </message>
    <message>
        <source>Back to as recorded</source>
        <translation>Zurück zur Aufzeichnung</translation>
    </message>
    <message>
        <source>Budget before and after the changes</source>
        <translation>Budget vor und nach den Änderungen</translation>
    </message>
    <message>
        <source>These changes</source>
        <translation>Diese Änderungen</translation>
    </message>
    <message>
        <source>Waiting for the diagnosis…</source>
        <translation>Wartet auf die Diagnose…</translation>
    </message>
    <message>
        <source>As recorded: %1</source>
        <translation>Wie aufgezeichnet: %1</translation>
    </message>
    <message>
        <source>needs %1</source>
        <translation>braucht %1</translation>
    </message>
    <message>
        <source>capacity %1</source>
        <translation>Kapazität %1</translation>
    </message>
    <message>
        <source>the curve peaks at %1, %2</source>
        <translation>Peak der Kurve: %1, %2</translation>
    </message>
</context>
</TS>
